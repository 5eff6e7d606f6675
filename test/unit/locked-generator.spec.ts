import { describe, expect, test } from 'vitest';
import { LockedGenerator, type OpenGenerator } from '../../lib/execution/locked-generator.js';
import { openedGenerator } from '../../lib/execution/unused-stream.js';
import { currentLock } from '../../lib/locking/current-lock.js';
import { HoldGuard } from '../../lib/locking/hold-guard.js';
import { settled } from './fake-clock.js';
import { hold } from './hold-harness.js';
import { TestGrant } from './test-grant.js';

const ENDED = { done: true, value: undefined };

/** A generator of two rows, and the lock that it waits for until a test grants it. */
function twoRows(options?: Parameters<typeof hold>[0]) {
  const started = hold(options);
  const diary: string[] = [];
  async function* source(): AsyncGenerator<unknown, unknown, unknown> {
    try {
      diary.push(`sent ${String(yield 'row 1')}`);
      await settled();
      yield 'row 2';
      return 'done';
    } catch (error) {
      diary.push(`caught ${String(error)}`);
      throw error;
    } finally {
      diary.push(currentLock() === started.held ? 'cleaned up under the lock' : 'cleaned up');
    }
  }
  const answers: PromiseWithResolver<OpenGenerator | null>[] = [];
  const signals: AbortSignal[] = [];
  const rows = new LockedGenerator((signal) => {
    signals.push(signal);
    return new Promise((resolve, reject) => answers.push({ resolve, reject }));
  });
  const open: OpenGenerator = { guard: new HoldGuard(started.held), start: source };
  return { ...started, rows, diary, signals, answers, open, grantLock: () => answers[0]!.resolve(open) };
}

interface PromiseWithResolver<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Notes in which order promises are fulfilled. */
function order(promises: Record<string, Promise<unknown>>): string[] {
  const names: string[] = [];
  for (const [name, promise] of Object.entries(promises)) void promise.then(() => names.push(name));
  return names;
}

describe('an idle generator', () => {
  test('requests no lock on return', async () => {
    const { rows, signals } = twoRows();
    expect(await rows.return(Promise.resolve('left'))).toEqual({ done: true, value: 'left' });
    expect(await rows.next()).toEqual(ENDED);
    expect(signals).toEqual([]);
  });

  test('requests none on throw, and ends', async () => {
    const { rows, signals } = twoRows();
    await expect(rows.throw(new Error('stop'))).rejects.toThrow('stop');
    expect(await rows.next()).toEqual(ENDED);
    expect(signals).toEqual([]);
  });

  test('looks like an async generator', async () => {
    const { rows } = twoRows();
    expect(Object.prototype.toString.call(rows)).toBe('[object AsyncGenerator]');
    expect(rows[Symbol.asyncIterator]()).toBe(rows);
    await rows[Symbol.asyncDispose]();
    expect(await rows.next()).toEqual(ENDED);
  });
});

describe('a generator that waits for its lock', () => {
  test('requests it once, and answers requests in order', async () => {
    const { rows, grantLock, answers } = twoRows();
    const requests = { first: rows.next(), second: rows.next('a'), third: rows.next(), fourth: rows.next() };
    const answered = order(requests);
    await settled();
    expect(answers).toHaveLength(1);
    expect(answered).toEqual([]);
    grantLock();
    expect(await Promise.all(Object.values(requests))).toEqual([
      { done: false, value: 'row 1' },
      { done: false, value: 'row 2' },
      { done: true, value: 'done' },
      ENDED,
    ]);
    expect(answered).toEqual(['first', 'second', 'third', 'fourth']);
  });

  test('leaves the queue on return, without waiting for that', async () => {
    const { rows, signals, answers } = twoRows();
    const steps = [rows.next(), rows.next()];
    expect(await rows.return('left')).toEqual({ done: true, value: 'left' });
    expect(await Promise.all(steps)).toEqual([ENDED, ENDED]);
    expect(signals[0]!.aborted).toBe(true);
    expect(await rows.next()).toEqual(ENDED);
    answers[0]!.reject(signals[0]!.reason);
    await settled();
    expect(await rows.return('again')).toEqual({ done: true, value: 'again' });
  });

  test('releases a lock that is granted after return, and runs no step', async () => {
    const { rows, grantLock, grant, diary } = twoRows();
    void rows.next();
    await rows.return();
    grantLock();
    await settled();
    expect(grant.releases).toBe(1);
    expect(await rows.next()).toEqual(ENDED);
    expect(diary).toEqual([]);
  });

  test('rejects once if the acquisition fails', async () => {
    const { rows, answers } = twoRows();
    const steps = [rows.next(), rows.next()];
    answers[0]!.reject(new Error('busy'));
    await expect(steps[0]).rejects.toThrow('busy');
    expect(await steps[1]).toEqual(ENDED);
    expect(await rows.return('left')).toEqual({ done: true, value: 'left' });
  });

  test('ends if the call is skipped', async () => {
    const { rows, answers } = twoRows();
    const step = rows.next();
    answers[0]!.resolve(null);
    expect(await step).toEqual(ENDED);
  });
});

describe('a generator that holds its lock', () => {
  test('receives values and errors, and releases the lock at the end', async () => {
    const { rows, grantLock, diary, log } = twoRows();
    const step = rows.next('lost, as with any generator');
    grantLock();
    expect(await step).toEqual({ done: false, value: 'row 1' });
    await rows.next('an answer');
    await expect(rows.throw(new Error('stop'))).rejects.toThrow('stop');
    expect(diary).toEqual(['sent an answer', 'caught Error: stop', 'cleaned up under the lock']);
    expect(log).toContain('released');
    expect(await rows.next()).toEqual(ENDED);
  });

  test('answers the last step after the release is confirmed', async () => {
    const { rows, grantLock, grant } = twoRows({ grant: new TestGrant(1n, true) });
    const step = rows.next();
    grantLock();
    await step;
    const left = rows.return('left');
    const answered = order({ left });
    await settled();
    expect(grant.releases).toBe(1);
    expect(answered).toEqual([]);
    grant.confirm();
    expect(await left).toEqual({ done: true, value: 'left' });
  });

  test('runs no step after a stall, and cleans up (H41, H63)', async () => {
    const { rows, grantLock, clock, diary, log } = twoRows({ ttl: 500 });
    const step = rows.next();
    grantLock();
    await step;
    clock.stall(500);
    const [second, third] = [rows.next(), rows.next()];
    await expect(second).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'ttl' });
    expect(await third).toEqual(ENDED);
    await settled();
    expect(diary).toEqual(['cleaned up under the lock']);
    expect(log.filter((entry) => entry !== 'ended')).toEqual(['abort ttl', 'ttlExpired']);
  });

  test('does not wait for a step that continues after the loss', async () => {
    const { rows, open, answers, grant } = twoRows();
    const never = new Promise<never>(() => {});
    answers.length = 0;
    const step = rows.next();
    answers[0]!.resolve({
      ...open,
      start: async function* () {
        await never;
        yield 1;
      },
    });
    await settled();
    grant.lose('session');
    await expect(step).rejects.toMatchObject({ reason: 'session' });
    expect(await rows.next()).toEqual(ENDED);
  });

  test('continues if it yields during return', async () => {
    const { open, log } = twoRows();
    const rows = LockedGenerator.opened({
      ...open,
      start: async function* () {
        try {
          yield 'row';
        } finally {
          yield 'last words';
        }
      },
    });
    await rows.next();
    expect(await rows.return('left')).toEqual({ done: false, value: 'last words' });
    expect(log).toEqual([]);
    expect(await rows.next()).toEqual({ done: true, value: 'left' });
    expect(log).toContain('released');
  });

  test('releases the lock on return before the first step', async () => {
    const { open, log, diary } = twoRows();
    expect(await LockedGenerator.opened(open).return('left')).toEqual({ done: true, value: 'left' });
    expect(log).toContain('released');
    expect(diary).toEqual([]);
  });
});

/** An iterator like that of a PubSub: only `return` ends its pending `next`. It cleans up until a test confirms that. */
function publications() {
  const started = hold();
  const diary: string[] = [];
  const next: PromiseWithResolver<IteratorResult<string>>[] = [];
  const cleanUp: PromiseWithResolver<void>[] = [];
  const source: AsyncGenerator<string, unknown, unknown> = {
    ...({} as AsyncGenerator<string, unknown, unknown>),
    next: () => {
      diary.push('next');
      return new Promise((resolve, reject) => next.push({ resolve, reject }));
    },
    return: async (value) => {
      diary.push(`return ${currentLock() === started.held ? 'under the lock' : ''}`);
      next.at(-1)?.resolve({ done: true, value: undefined });
      await new Promise<void>((resolve, reject) => cleanUp.push({ resolve, reject }));
      return { done: true, value: await value };
    },
  };
  const rows = LockedGenerator.opened({ guard: new HoldGuard(started.held), start: () => source });
  return { ...started, rows, diary, next, cleanUp };
}

describe('a generator that is left while a step runs', () => {
  test('ends that step, and keeps the lock until it has cleaned up', async () => {
    const { rows, diary, cleanUp, grant } = publications();
    const step = rows.next();
    const left = rows.return('left');
    expect(await step).toEqual(ENDED);
    expect(diary).toEqual(['next', 'return under the lock']);
    await settled();
    expect(grant.releases).toBe(0);
    cleanUp[0]!.resolve();
    expect(await left).toEqual({ done: true, value: 'left' });
    expect(grant.releases).toBe(1);
    expect(await rows.next()).toEqual(ENDED);
  });

  test('passes on an error of its clean-up, and releases the lock', async () => {
    const { rows, cleanUp, grant } = publications();
    const step = rows.next();
    const left = rows.return('left');
    expect(await step).toEqual(ENDED);
    cleanUp[0]!.reject(new Error('not unsubscribed'));
    await expect(left).rejects.toThrow('not unsubscribed');
    expect(grant.releases).toBe(1);
  });

  test('keeps the lock for its clean-up if that step fails', async () => {
    const { rows, next, cleanUp, grant } = publications();
    const step = rows.next();
    next[0]!.reject(new Error('no connection'));
    const left = rows.return('left');
    await expect(step).rejects.toThrow('no connection');
    await settled();
    expect(grant.releases).toBe(0);
    cleanUp[0]!.resolve();
    await left;
    expect(grant.releases).toBe(1);
  });

  test('is left once if it loses the lock', async () => {
    const { rows, diary, grant } = publications();
    const step = rows.next();
    const left = rows.return('left');
    grant.lose('session');
    await expect(step).rejects.toMatchObject({ reason: 'session' });
    expect(await left).toEqual({ done: true, value: 'left' });
    await settled();
    expect(diary).toEqual(['next', 'return under the lock']);
  });

  test('answers requests in order if several steps are pending', async () => {
    const { rows, next, cleanUp, diary } = publications();
    const requests = { first: rows.next(), second: rows.next(), left: rows.return('left') };
    const answered = order(requests);
    await settled();
    expect(diary).toEqual(['next']);
    next[0]!.resolve({ done: false, value: 'one' });
    await requests.first;
    next[1]!.resolve({ done: false, value: 'two' });
    await requests.second;
    cleanUp[0]!.resolve();
    await requests.left;
    expect(answered).toEqual(['first', 'second', 'left']);
    expect(diary).toEqual(['next', 'next', 'return under the lock']);
  });
});

test('an iterator that has begun before its first step is closed if its lock is lost before that', async () => {
  const { held, grant } = hold();
  let returned = 0;
  const eager = {
    next: async () => ENDED,
    return: async () => {
      returned += 1;
      throw new Error('nobody hears of it');
    },
    throw: async () => ENDED,
    [Symbol.asyncIterator]: () => eager,
  } as unknown as AsyncGenerator<unknown, unknown, unknown>;
  const rows = LockedGenerator.opened(openedGenerator(new HoldGuard(held), eager));
  grant.lose('session');
  expect(returned).toBe(1);
  await expect(rows.next()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  expect(returned).toBe(1);
});

import { describe, expect, test } from 'vitest';
import { currentLock } from '../../lib/locking/current-lock.js';
import { runHeld } from '../../lib/locking/run-held.js';
import { settled } from './fake-clock.js';
import { hold, type Hold } from './hold-harness.js';
import { TestGrant } from './test-grant.js';

/** Work that ends when the test says so. */
class Work {
  started = 0;
  resolve: (value: string) => void = () => {};
  reject: (error: unknown) => void = () => {};
  readonly run = (): Promise<string> => {
    this.started += 1;
    return new Promise<string>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  };
}

interface Run extends Hold {
  readonly work: Work;
  readonly outcome: Promise<string>;
}

function run(options: Parameters<typeof hold>[0] = {}): Run {
  const started = hold(options);
  const work = new Work();
  const outcome = runHeld(started.held, work.run);
  // Looked at by the tests, some of them later than it settles.
  outcome.catch(() => {});
  return { ...started, work, outcome };
}

const ownError = new Error('card declined');

describe('work that ends in time', () => {
  test('gives its result, after the release was confirmed', async () => {
    const { work, outcome, grant, log } = run({ grant: new TestGrant(1n, true) });
    work.resolve('paid');
    await settled();
    expect(log).toEqual(['released']);
    expect(await isSettled(outcome)).toBe(false);
    grant.confirm();
    await expect(outcome).resolves.toBe('paid');
  });

  test('may be synchronous', async () => {
    const { held, log } = hold();
    await expect(runHeld(held, () => 'done')).resolves.toBe('done');
    expect(log).toContain('released');
  });

  test('passes its own error on untouched, after the release', async () => {
    const { work, outcome, grant, log } = run({ grant: new TestGrant(1n, true) });
    work.reject(ownError);
    await settled();
    expect(log).toEqual(['released']);
    expect(await isSettled(outcome)).toBe(false);
    grant.confirm();
    await expect(outcome).rejects.toBe(ownError);
  });

  test('passes on what it throws before its first await, also if that is no error', async () => {
    const { held, log } = hold();
    const thrown = runHeld(held, () => {
      throw 'text';
    });
    await expect(thrown).rejects.toBe('text');
    expect(log).toEqual(['released', 'ended']);
  });

  test('loses its result if its node turns out to have been deleted', async () => {
    const { work, outcome, grant } = run({ grant: new TestGrant(1n, true) });
    work.resolve('paid');
    grant.confirm(false);
    await expect(outcome).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
  });

  test('keeps its own error even then: it always wins over that of the release', async () => {
    const { work, outcome, grant } = run({ grant: new TestGrant(1n, true) });
    work.reject(ownError);
    grant.confirm(false);
    await expect(outcome).rejects.toBe(ownError);
  });
});

describe('work whose lock is lost', () => {
  test('is left at once, and its late result dropped', async () => {
    const { work, outcome, held, grant, log } = run({ grant: new TestGrant(1n, true) });
    grant.lose('session');
    await expect(outcome).rejects.toBe(held.signal.reason);
    work.resolve('paid');
    await settled();
    expect(log).toEqual(['abort session', 'lost session']);
  });

  test('rejects late: that is told by one event and nothing else', async () => {
    const { work, outcome, grant, events } = run();
    grant.lose('session');
    await expect(outcome).rejects.toMatchObject({ reason: 'session' });
    work.reject(ownError);
    await settled();
    const rejections = events.filter(({ type }) => type === 'workRejected');
    expect(rejections).toEqual([
      expect.objectContaining({ resource: 'order:42', owner: 'me', fencingToken: 1n, error: ownError }),
    ]);
  });

  test('stops on the signal and passes its reason on: that is no rejection of its own', async () => {
    const { held, grant, log } = hold();
    const outcome = runHeld(held, async () => {
      await new Promise((_, reject) => {
        held.signal.addEventListener('abort', () => reject(held.signal.reason as Error));
      });
    });
    grant.lose('session');
    await expect(outcome).rejects.toBe(held.loss);
    await settled();
    expect(log).not.toContain('workRejected');
  });

  test('finds out by assertHeld after a stall: that is none either', async () => {
    const { held, clock, log } = hold({ ttl: 500 });
    const outcome = runHeld(held, async () => {
      clock.stall(600);
      held.assertHeld();
    });
    await expect(outcome).rejects.toMatchObject({ reason: 'ttl' });
    await settled();
    expect(log).not.toContain('workRejected');
  });

  test('ends after a stall, before any timer could tell: its result is dropped', async () => {
    const { held, clock } = hold({ ttl: 500 });
    const outcome = runHeld(held, async () => {
      clock.stall(600);
      return 'paid';
    });
    await expect(outcome).rejects.toMatchObject({ reason: 'ttl' });
  });

  test('gives its node up only when it has settled, if the application shuts down', async () => {
    const { work, outcome, held, grant } = run();
    held.abandon();
    await expect(outcome).rejects.toMatchObject({ reason: 'shutdown' });
    await settled();
    expect(grant.releases).toBe(0);
    work.resolve('paid');
    await settled();
    expect(grant.releases).toBe(1);
  });
});

describe('a lock that is lost before its work', () => {
  test.for(['told', 'not told yet'])('%s: the work is never started', async (told) => {
    const { held, grant, clock, log } = hold();
    if (told === 'told') grant.lose('session');
    else grant.deadline = clock.elapsed();
    const work = new Work();
    await expect(runHeld(held, work.run)).rejects.toBe(held.loss);
    expect(held.loss).toMatchObject({ reason: 'session' });
    expect(work.started).toBe(0);
    await settled();
    expect(log.filter((entry) => entry !== 'ended')).toEqual(['abort session', 'lost session']);
  });
});

describe('a result that goes on working', () => {
  test('keeps the lock', async () => {
    const { held, grant } = hold();
    await expect(
      runHeld(
        held,
        () => 'stream',
        (result) => result === 'stream',
      ),
    ).resolves.toBe('stream');
    await settled();
    expect(grant.releases).toBe(0);
    expect(held.isHeld()).toBe(true);
  });
});

test('the work finds its lock, also behind an await and after its end (H48)', async () => {
  const { held } = hold();
  const found: unknown[] = [];
  let late: Promise<unknown> = Promise.resolve();
  await runHeld(held, async () => {
    found.push(currentLock());
    await settled();
    found.push(currentLock('order:42'), currentLock('other'));
    late = settled()
      .then(settled)
      .then(() => currentLock());
  });
  expect(found).toEqual([held, held, undefined]);
  expect(await late).toBe(held);
  expect(held.isHeld()).toBe(false);
  expect(currentLock()).toBeUndefined();
});

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  await settled();
  const pending = Symbol('pending');
  const first = await Promise.race([promise.catch(() => undefined), Promise.resolve(pending)]);
  return first !== pending;
}

import { describe, expect, test } from 'vitest';
import { currentLock } from '../../lib/locking/current-lock.js';
import { HoldGuard } from '../../lib/locking/hold-guard.js';
import { settled } from './fake-clock.js';
import { hold } from './hold-harness.js';
import { TestGrant } from './test-grant.js';

function guarded(options?: Parameters<typeof hold>[0]) {
  const started = hold(options);
  return { ...started, guard: new HoldGuard(started.held) };
}

describe('code that enters a hold', () => {
  test('can access it', () => {
    const { guard, held } = guarded();
    expect(guard.enter(() => currentLock())).toBe(held);
    expect(currentLock()).toBeUndefined();
  });

  test('does not run after a stall, even before a timer has reported the loss (H41, H63)', () => {
    const { guard, clock, log } = guarded({ ttl: 500 });
    let ran = false;
    clock.stall(500);
    expect(log).toEqual([]);
    expect(() => guard.enter(() => (ran = true))).toThrow(
      expect.objectContaining({ code: 'LOCK_LOST', reason: 'ttl' }),
    );
    expect(ran).toBe(false);
    expect(log.slice(0, 2)).toEqual(['abort ttl', 'ttlExpired']);
  });

  test('does not run after the session deadline, even if that passed during a suspension', () => {
    const { guard, clock, grant } = guarded();
    grant.deadline = clock.elapsed() + 1_000;
    clock.sleep(1_000);
    expect(() => guard.enter(() => {})).toThrow(expect.objectContaining({ reason: 'session' }));
  });

  test('still runs if it has released the lock itself, which is not a loss', () => {
    const { guard, held } = guarded();
    held.end();
    expect(guard.enter(() => currentLock()?.isHeld())).toBe(false);
  });
});

describe('a step', () => {
  test('runs a query of an ORM, which begins when its `then` is called, under the hold', async () => {
    const { guard, held } = guarded();
    const query: PromiseLike<unknown> = {
      // oxlint-disable-next-line unicorn/no-thenable
      then: (onFulfilled) => Promise.resolve(currentLock()).then(onFulfilled),
    };
    expect(await guard.step(() => query)).toBe(held);
  });

  test('whose lock was lost by a stall has no result', async () => {
    const { guard, clock } = guarded({ ttl: 500 });
    const outcome = guard.step(() => {
      clock.stall(500);
      return 'row 1';
    });
    await expect(outcome).rejects.toMatchObject({ reason: 'ttl' });
  });

  test('whose lock was lost has its late result discarded', async () => {
    const { guard, grant } = guarded();
    let finish: (file: string) => void = () => {};
    const work = (): Promise<string> => new Promise((resolve) => (finish = resolve));
    const discarded: string[] = [];
    const outcome = guard.step(work, (file) => discarded.push(file));
    grant.lose('session');
    await expect(outcome).rejects.toMatchObject({ reason: 'session' });
    expect(discarded).toEqual([]);
    finish('a file');
    await settled();
    expect(discarded).toEqual(['a file']);
  });

  test('rejects as soon as the lock is lost, and a late error becomes an event', async () => {
    const { guard, grant, events } = guarded();
    let fail: (error: Error) => void = () => {};
    const outcome = guard.step(() => new Promise((_, reject) => (fail = reject)));
    grant.lose('session');
    await expect(outcome).rejects.toMatchObject({ reason: 'session' });
    const late = new Error('late');
    fail(late);
    await settled();
    expect(events.filter(({ type }) => type === 'workRejected')).toMatchObject([{ error: late }]);
  });

  test('does not listen to the hold any more when it has settled', async () => {
    const { guard, held } = guarded();
    let listening = 0;
    const onLost = held.onLost.bind(held);
    held.onLost = (callback) => {
      const stop = onLost(callback);
      listening += 1;
      return () => {
        listening -= 1;
        stop();
      };
    };
    const step = guard.step(() => 'row 1');
    expect(listening).toBe(1);
    await step;
    await guard.step(() => Promise.reject(new Error('no row'))).catch(() => {});
    expect(listening).toBe(0);
  });
});

describe('the end after a failure', () => {
  test('waits for the release, and ignores its error', async () => {
    const { guard, grant } = guarded({ grant: new TestGrant(1n, true) });
    let ended = false;
    const end = guard.fail().then(() => (ended = true));
    await settled();
    expect(ended).toBe(false);
    grant.confirm(false);
    await end;
  });

  test('does not wait if the lock is lost: the hold ends when step and clean-up have settled', async () => {
    const { guard, held, grant } = guarded();
    let finish: () => void = () => {};
    guard.step(() => new Promise<void>((resolve) => (finish = resolve))).catch(() => {});
    held.abandon();
    let cleaned = false;
    await guard.fail(() => (cleaned = true));
    expect(cleaned).toBe(true);
    await settled();
    expect(grant.releases).toBe(0);
    finish();
    await settled();
    expect(grant.releases).toBe(1);
  });

  test('reports an error of the clean-up in an event', async () => {
    const { guard, grant, events } = guarded();
    grant.lose('session');
    const failure = new Error('clean-up failed');
    await guard.fail(() => Promise.reject(failure));
    await settled();
    expect(events.filter(({ type }) => type === 'workRejected')).toMatchObject([{ error: failure }]);
  });
});

describe('a hold that waits for its first use', () => {
  test('is lost if it is never used', () => {
    const { held, clock, log, grant } = guarded();
    held.loseUnlessUsed(30_000);
    clock.advance(29_999);
    expect(log).toEqual([]);
    clock.advance(1);
    expect(log.slice(0, 2)).toEqual(['abort unused', 'lost unused']);
    expect(grant.releases).toBe(1);
    expect(clock.timers).toBe(0);
  });

  test('is kept, without a timer, if it is used', () => {
    const { held, clock } = guarded();
    const used = held.loseUnlessUsed(30_000);
    clock.advance(29_999);
    used();
    expect(clock.timers).toBe(0);
    clock.advance(60_000);
    expect(held.isHeld()).toBe(true);
  });

  test('leaves no timer if it ends before', () => {
    const { held, clock } = guarded();
    held.loseUnlessUsed(30_000);
    held.end();
    expect(clock.timers).toBe(0);
    held.loseUnlessUsed(30_000)();
    expect(clock.timers).toBe(0);
  });
});

import { merge } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { LockClosedError } from '../../lib/locking/errors/lock-closed.error.js';
import type { HeldLock } from '../../lib/locking/held-lock.js';
import type { LockOptions } from '../../lib/locking/lock-options.js';
import { settled } from './fake-clock.js';
import { lockManager, rejectionOf, type ManagerUnderTest } from './manager-harness.js';
import { TestGrant } from './test-grant.js';

const DRAIN = 10_000;

async function granted(
  { locks, provider }: ManagerUnderTest,
  options: LockOptions = {},
  grant = new TestGrant(),
): Promise<HeldLock> {
  const acquiring = locks.lock('a', options);
  provider.last.grant(grant);
  return acquiring;
}

/** Whether `promise` has been fulfilled by now. */
function watched(promise: Promise<unknown>): () => Promise<boolean> {
  let done = false;
  void promise.then(() => (done = true));
  return async () => {
    await settled();
    return done;
  };
}

describe('stop', () => {
  test('refuses whoever waits, and whoever comes later', async () => {
    const { locks, provider, clock, log } = lockManager();
    const waiting = rejectionOf(locks.lock('a', { wait: 5_000 }));
    provider.last.queue();
    await locks.stop();
    expect(await waiting).toBeInstanceOf(LockClosedError);
    expect(await waiting).toMatchObject({ code: 'LOCK_CLOSED', resource: 'a', retryAfterMs: 1_000 });
    for (const late of [
      locks.lock('b'),
      locks.tryLock('b'),
      locks.withLock('b', 1, () => 1),
      locks.inspect('b'),
    ]) {
      expect(await rejectionOf(late)).toBeInstanceOf(LockClosedError);
    }
    expect(provider.attempts).toHaveLength(1);
    expect(log).toEqual(['waiting', 'failed']);
    expect(clock.timers).toBe(0);
  });

  test('lets holders finish, and leaves no timer', async () => {
    const manager = lockManager();
    const held = await granted(manager);
    const stopped = watched(manager.locks.stop());
    await manager.clock.run(DRAIN - 1);
    expect(await stopped()).toBe(false);
    expect(held.isHeld()).toBe(true);
    await held.release();
    expect(await stopped()).toBe(true);
    expect(manager.clock.timers).toBe(0);
    expect(manager.log).toEqual(['acquired', 'released']);
  });

  test('waits until the store has confirmed the last release', async () => {
    const manager = lockManager();
    const grant = new TestGrant(1n, true);
    const held = await granted(manager, {}, grant);
    const stopped = watched(manager.locks.stop());
    void held.release();
    expect(await stopped()).toBe(false);
    grant.confirm();
    expect(await stopped()).toBe(true);
  });

  test('keeps the process alive meanwhile', async () => {
    const manager = lockManager();
    await granted(manager);
    void manager.locks.stop();
    expect(manager.clock.keepingAlive).toBe(1);
  });

  test('takes the locks away after drainTimeout, but leaves the nodes until the work settles', async () => {
    const manager = lockManager();
    const grant = new TestGrant();
    const held = await granted(manager, {}, grant);
    const stopped = watched(manager.locks.stop());
    await manager.clock.run(DRAIN);
    expect(await stopped()).toBe(true);
    expect(held.isHeld()).toBe(false);
    expect(held.signal.reason).toMatchObject({ reason: 'shutdown' });
    expect(manager.log).toEqual(['acquired', 'lost']);
    expect(grant.releases).toBe(0);
    await held.release();
    expect(grant.releases).toBe(1);
  });

  test('waits for what is left of a minHold', async () => {
    const manager = lockManager();
    const held = await granted(manager, { minHold: 3_000 });
    await held.release();
    const stopped = watched(manager.locks.stop());
    await manager.clock.run(2_999);
    expect(await stopped()).toBe(false);
    await manager.clock.run(1);
    expect(await stopped()).toBe(true);
    expect(manager.log).toEqual(['acquired', 'released']);
  });

  test('does not wait longer than drainTimeout for a minHold: its work has settled', async () => {
    const manager = lockManager();
    const held = await granted(manager, { minHold: 60_000 });
    await held.release();
    const stopped = watched(manager.locks.stop());
    await manager.clock.run(DRAIN);
    expect(await stopped()).toBe(true);
    expect(manager.log).toEqual(['acquired', 'released']);
  });

  test('called by whoever hears of a grant waits for that hold too', async () => {
    const manager = lockManager();
    let stopped = async (): Promise<boolean> => false;
    manager.locks.events.events$.subscribe((event) => {
      if (event.type === 'acquired') stopped = watched(manager.locks.stop());
    });
    const held = await granted(manager);
    expect(await stopped()).toBe(false);
    expect(held.isHeld()).toBe(true);
    await held.release();
    expect(await stopped()).toBe(true);
  });

  test('twice is once', async () => {
    const manager = lockManager();
    expect(manager.locks.stop()).toBe(manager.locks.stop());
    await manager.locks.stop();
  });
});

describe('close', () => {
  test('stops, then closes the provider, then tells it and ends all streams', async () => {
    const manager = lockManager();
    const { locks, provider, log } = manager;
    let completed = 0;
    const { events$, state$, ready$, lost$ } = locks.events;
    merge(events$, state$, ready$, lost$).subscribe({ complete: () => (completed += 1) });
    const held = await granted(manager);
    const closed = watched(locks.close());
    expect(await closed()).toBe(false);
    expect(provider.calls).toEqual([]);
    await held.release();
    expect(await closed()).toBe(true);
    expect(provider.calls).toEqual(['close']);
    expect(log).toEqual(['acquired', 'released', 'closed']);
    expect(completed).toBe(1);
    expect(locks.events.state).toBe('closed');
  });

  test('twice is once', async () => {
    const { locks, provider } = lockManager();
    await Promise.all([locks.close(), locks.close()]);
    await locks.close();
    expect(provider.calls).toEqual(['close']);
  });

  test('leaves a hold that was never released to the end of the session', async () => {
    const manager = lockManager({ drainTimeout: 0 });
    const grant = new TestGrant();
    await granted(manager, {}, grant);
    const closed = watched(manager.locks.close());
    await manager.clock.run(0);
    expect(await closed()).toBe(true);
    expect(grant.releases).toBe(0);
    expect(manager.log).toEqual(['acquired', 'lost', 'closed']);
  });
});

import { describe, expect, test } from 'vitest';
import { LockTimeoutError } from '../../lib/locking/errors/lock-timeout.error.js';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import { LOCK_DEFAULTS } from '../../lib/locking/lock-options.js';
import { settled } from './fake-clock.js';
import { lockManager, rejectionOf } from './manager-harness.js';

describe('a wait budget that ends', () => {
  test('in the queue: LockTimeoutError, naming who is ahead', async () => {
    const { locks, provider, clock, events } = lockManager();
    const waiting = rejectionOf(locks.lock('a', { wait: 2_000 }));
    provider.last.queue(3, 'web-1:17');
    provider.last.request.onPredecessor({ owner: 'web-2:18' });
    await clock.run(1_999);
    expect(events).toHaveLength(1);
    clock.advance(1);
    const error = await waiting;
    expect(error).toBeInstanceOf(LockTimeoutError);
    expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', resource: 'a', retryAfterMs: 1_000 });
    expect(String(error)).toContain(
      "Lock 'a' was not granted within 2000 ms; next ahead in the queue is web-2:18.",
    );
    expect(events.at(-1)).toMatchObject({ type: 'timedOut', waitedMs: 2_000 });
    expect(clock.timers).toBe(0);
  });

  test('in the queue, behind a contender without an owner record', async () => {
    const { locks, provider, clock } = lockManager();
    const waiting = rejectionOf(locks.lock('a', { wait: 2_000 }));
    provider.last.queue(1);
    clock.advance(2_000);
    expect(String(await waiting)).toContain('was not granted within 2000 ms. Try again later');
  });

  test('behind the holder of a lock that fails closed: says how a person can free it', async () => {
    const { locks, provider, clock, warnings } = lockManager();
    const waiting = rejectionOf(locks.lock('a', { wait: 40_000 }));
    provider.last.queue(1);
    provider.last.request.onPredecessor({ owner: 'payer-1', staysClosed: true });
    await clock.run(40_000);
    expect(String(await waiting)).toContain(
      'next ahead in the queue is payer-1, which holds it until it releases it, even if it has failed: if it will not come ' +
        "back, free the lock with forceRelease('a', { token }), with the token that inspect('a') shows. Try again later",
    );
    expect(warnings).toEqual([
      "Still waiting for lock 'a' after 30 s, behind payer-1, whose lock fails closed",
    ]);
  });

  test('before the queue: LockUnavailableError', async () => {
    const { locks, clock, events } = lockManager();
    const waiting = rejectionOf(locks.lock('a', { wait: 2_000 }));
    clock.advance(2_000);
    const error = await waiting;
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(String(error)).toContain('Scripted did not queue the request within 2000 ms');
    expect(events).toEqual([expect.objectContaining({ type: 'failed', waitedMs: 2_000, error })]);
  });

  test('before the queue, while a caller of this process has the lock: LockTimeoutError', async () => {
    const { locks, provider, clock, log } = lockManager();
    provider.heldHere.add('a');
    const waiting = rejectionOf(locks.lock('a', { wait: 2_000 }));
    clock.advance(2_000);
    expect(await waiting).toBeInstanceOf(LockTimeoutError);
    expect(log).toEqual(['timedOut']);
  });

  test('says why there is no contact, if that is known', async () => {
    const { locks, clock, provider } = lockManager();
    const cause = new Error('ECONNREFUSED');
    provider.reason = {
      what: 'the last attempt failed with "ECONNREFUSED"',
      cause,
      hint: 'Look at the servers',
    };
    const waiting = rejectionOf(locks.lock('a', { wait: 2_000 }));
    clock.advance(2_000);
    const error = await waiting;
    expect(error).toMatchObject({
      cause,
      message:
        "Lock 'a' is unavailable: Scripted did not queue the request within 2000 ms (the last attempt failed with " +
        '"ECONNREFUSED"). Look at the servers.',
    });
  });

  test('without contact: LockUnavailableError, because it is unknown whether the lock is still held', async () => {
    const { locks, provider, clock, log } = lockManager();
    const waiting = rejectionOf(locks.lock('a', { wait: 2_000 }));
    provider.last.queue(1);
    provider.last.inContact = false;
    clock.advance(2_000);
    expect(await waiting).toBeInstanceOf(LockUnavailableError);
    expect(log).toEqual(['waiting', 'failed']);
  });

  test('together with the grant: the grant is released', async () => {
    const { locks, provider, clock, log } = lockManager();
    const waiting = rejectionOf(locks.lock('a', { wait: 2_000 }));
    provider.last.queue();
    const grant = provider.last.grant();
    clock.advance(2_000);
    expect(await waiting).toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(grant.releases).toBe(1);
    expect(log).toEqual(['waiting', 'timedOut']);
  });

  test('is the default of the module if the call has none', async () => {
    const { locks, provider, clock } = lockManager({ defaults: { ...LOCK_DEFAULTS, wait: 70 } });
    const waiting = rejectionOf(locks.lock('a'));
    provider.last.queue();
    clock.advance(70);
    expect(await waiting).toMatchObject({ code: 'LOCK_TIMEOUT' });
  });
});

describe('wait: 0', () => {
  test('is bounded by connectTimeout', async () => {
    const { locks, clock, log } = lockManager({ connectTimeout: 300 });
    const waiting = rejectionOf(locks.lock('a', { wait: 0 }));
    await clock.run(299);
    expect(log).toEqual([]);
    clock.advance(1);
    expect(await waiting).toMatchObject({ code: 'LOCK_UNAVAILABLE', resource: 'a' });
    expect(log).toEqual(['failed']);
    expect(clock.timers).toBe(0);
  });
});

describe('an unlimited wait', () => {
  test('never times out', async () => {
    const { locks, provider, clock } = lockManager();
    const acquiring = locks.lock('a');
    await clock.run(2 ** 31);
    provider.last.grant();
    expect((await acquiring).isHeld()).toBe(true);
  });

  test('has no timer that keeps the process alive, unlike a limited wait', () => {
    const { locks, clock } = lockManager();
    void locks.lock('a').catch(() => {});
    expect(clock.keepingAlive).toBe(0);
    void locks.lock('a', { wait: 5 }).catch(() => {});
    expect(clock.keepingAlive).toBe(1);
  });
});

describe('an acquisition that takes 30 s', () => {
  test('causes one warning, which names the owner ahead', async () => {
    const { locks, provider, clock, warnings } = lockManager();
    void locks.lock('a').catch(() => {});
    provider.last.queue(1, 'web-2:18');
    await clock.run(29_999);
    expect(warnings).toEqual([]);
    await clock.run(100_000);
    expect(warnings).toEqual(["Still waiting for lock 'a' after 30 s, behind web-2:18"]);
  });

  test('causes a warning even if the owner ahead is unknown', async () => {
    const { locks, clock, warnings } = lockManager();
    void locks.lock('a').catch(() => {});
    await clock.run(30_000);
    expect(warnings).toEqual(["Still waiting for lock 'a' after 30 s"]);
  });

  test('causes a warning in ms if it is slow after less than a second', async () => {
    const { locks, clock, warnings } = lockManager({ slowWaitWarning: 300 });
    void locks.lock('a').catch(() => {});
    await clock.run(300);
    expect(warnings).toEqual(["Still waiting for lock 'a' after 300 ms"]);
  });

  test('causes one warning together with others for the same name, which says how many wait', async () => {
    const { locks, provider, clock, warnings } = lockManager();
    for (let i = 0; i < 2_500; i += 1) {
      void locks.lock('a').catch(() => {});
      await clock.run(1);
    }
    provider.attempts[0]!.request.onPredecessor({ owner: 'web-2:18' });
    void locks.lock('b').catch(() => {});
    expect(clock.timers).toBe(2);
    await clock.run(100_000);
    expect(warnings).toEqual([
      "Still waiting for lock 'a' after 30 s, behind web-2:18; 2500 calls of this process are waiting for it",
      "Still waiting for lock 'b' after 30 s",
    ]);
  });

  test('causes a warning at its own time if earlier ones have ended', async () => {
    const { locks, provider, clock, warnings } = lockManager();
    const first = locks.lock('a');
    await clock.run(10_000);
    void locks.lock('a').catch(() => {});
    provider.attempts[0]!.grant();
    await first;
    await clock.run(29_999);
    expect(warnings).toEqual([]);
    await clock.run(1);
    expect(warnings).toEqual(["Still waiting for lock 'a' after 30 s"]);
  });

  test('causes another warning if there were no waiters in between', async () => {
    const { locks, provider, clock, warnings } = lockManager();
    for (let round = 0; round < 2; round += 1) {
      const acquiring = locks.lock('a');
      await clock.run(40_000);
      provider.last.grant();
      await acquiring;
    }
    expect(warnings).toHaveLength(2);
    expect(clock.timers).toBe(0);
  });

  test('causes no warning if it has ended before', async () => {
    const { locks, provider, clock, warnings } = lockManager();
    const acquiring = locks.lock('a');
    provider.last.grant();
    await acquiring;
    await clock.run(60_000);
    await settled();
    expect(warnings).toEqual([]);
  });
});

import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { LockBusyError } from '../../lib/locking/errors/lock-busy.error.js';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import { Hold } from '../../lib/locking/hold.js';
import { settled } from './fake-clock.js';
import { lockManager, rejectionOf } from './manager-harness.js';
import { TestGrant } from './test-grant.js';

/** Every attempt has exactly one end, and leaves no timer. */
describe('an acquisition ends', () => {
  test('granted', async () => {
    const { locks, provider, clock, events } = lockManager();
    const acquiring = locks.lock('a', { owner: 'job', mode: 'read' });
    clock.advance(70);
    provider.last.grant(new TestGrant(9n));
    const held = await acquiring;
    expect(held).toBeInstanceOf(Hold);
    expect(held).toMatchObject({ resource: 'a', owner: 'job', fencingToken: 9n });
    expect(events).toEqual([
      {
        type: 'acquired',
        resource: 'a',
        owner: 'job',
        mode: 'read',
        fencingToken: 9n,
        waitedMs: 70,
        at: clock.wall(),
      },
    ]);
    expect(clock.timers).toBe(0);
  });

  test('granted after waiting in the queue, and again after losing its place', async () => {
    const { locks, provider, events } = lockManager();
    const acquiring = locks.lock('a');
    provider.last.queue(2);
    provider.last.queue(5, undefined, true);
    provider.last.grant();
    await acquiring;
    expect(events).toEqual([
      expect.objectContaining({ type: 'waiting', ahead: 2, requeued: false }),
      expect.objectContaining({ type: 'waiting', ahead: 5, requeued: true }),
      expect.objectContaining({ type: 'acquired' }),
    ]);
  });

  test('busy, naming the holder', async () => {
    const { locks, provider, clock, events } = lockManager();
    const refused = rejectionOf(locks.lock('a', { wait: 0 }));
    clock.advance(5);
    provider.last.busy('web-2:17');
    const error = await refused;
    expect(error).toBeInstanceOf(LockBusyError);
    expect(error).toMatchObject({ code: 'LOCK_BUSY', resource: 'a', retryAfterMs: 1_000 });
    expect(String(error)).toContain("Lock 'a' is busy, held by web-2:17.");
    expect(events).toEqual([
      { type: 'busy', resource: 'a', owner: 'me', mode: 'exclusive', waitedMs: 5, at: clock.wall() },
    ]);
    expect(clock.timers).toBe(0);
  });

  test('failed, with the error of the provider', async () => {
    const { locks, provider, clock, events } = lockManager();
    const failed = rejectionOf(locks.lock('a', { wait: 500 }));
    const error = new LockUnavailableError('a', 'it refuses');
    provider.last.fail(error);
    expect(await failed).toBe(error);
    expect(events).toEqual([expect.objectContaining({ type: 'failed', error })]);
    expect(clock.timers).toBe(0);
  });

  test('failed, even if the provider throws synchronously', async () => {
    const { locks, provider, clock, log } = lockManager();
    const error = new Error('a slip');
    provider.enter = () => {
      throw error;
    };
    expect(await rejectionOf(locks.lock('a', { wait: 500 }))).toBe(error);
    expect(log).toEqual(['failed']);
    expect(clock.timers).toBe(0);
  });

  test('before it starts, without an event, for an invalid name or option', async () => {
    const { locks, provider, log } = lockManager();
    await expect(locks.lock('')).rejects.toThrow(LockConfigurationError);
    await expect(locks.lock('a', -1)).rejects.toThrow(LockConfigurationError);
    await expect(locks.lock('a', { ttl: 5, minHold: 6 })).rejects.toThrow('`minHold` must not be longer');
    await expect(locks.tryLock('a', { wait: NaN })).rejects.toThrow(LockConfigurationError);
    expect(provider.attempts).toEqual([]);
    expect(log).toEqual([]);
  });
});

describe('the provider receives', () => {
  test('the owner record, without secrets', async () => {
    const { locks, provider, clock } = lockManager();
    void locks.lock('a', { purpose: 'Orders.pay' }).catch(() => {});
    await settled();
    expect(provider.last.request).toMatchObject({
      resource: 'a',
      mode: 'exclusive',
      immediate: false,
      describeHolder: true,
    });
    expect(provider.last.request.owner).toEqual({
      owner: 'me',
      host: hostname(),
      pid: process.pid,
      since: new Date(clock.wall()).toISOString(),
      purpose: 'Orders.pay',
    });
  });

  test.for([
    [0, true],
    [1, false],
    [Infinity, false],
  ] as const)('wait: %s, immediate: %s', async ([wait, immediate]) => {
    const { locks, provider } = lockManager();
    void locks.lock('a', { wait }).catch(() => {});
    await settled();
    expect(provider.last.request.immediate).toBe(immediate);
    expect(provider.last.request.owner).not.toHaveProperty('purpose');
  });
});

test('a loss right after the grant is reported after the acquisition', async () => {
  const { locks, provider, log } = lockManager();
  const acquiring = locks.lock('a');
  provider.last.grant().lose('session');
  expect((await acquiring).isHeld()).toBe(false);
  expect(log).toEqual(['acquired', 'lost']);
});

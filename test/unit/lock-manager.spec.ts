import { getEventListeners } from 'node:events';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { LockBusyError } from '../../lib/locking/errors/lock-busy.error.js';
import type { Abort } from '../../lib/locking/abort.js';
import { abortable } from '../../lib/locking/abortable.js';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import { LockTimeoutError } from '../../lib/locking/errors/lock-timeout.error.js';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import type { HeldLock } from '../../lib/locking/held-lock.interface.js';
import { LOCK_DEFAULTS } from '../../lib/locking/lock-options.js';
import { granted, lockManager, rejectionOf } from './manager-harness.js';

describe('tryLock', () => {
  test('returns the lock if it is free', async () => {
    const { locks, provider } = lockManager();
    const acquiring = locks.tryLock('a', 5_000);
    provider.last.grant();
    expect((await acquiring)?.isHeld()).toBe(true);
  });

  test('returns null if it is busy, without reading the holder', async () => {
    const { locks, provider, log } = lockManager();
    const acquiring = locks.tryLock('a');
    expect(provider.last.request).toMatchObject({ immediate: true, describeHolder: false });
    provider.last.busy();
    expect(await acquiring).toBeNull();
    expect(log).toEqual(['busy']);
  });

  test('does not wait, whatever the module’s default says', () => {
    const { locks, provider } = lockManager({ defaults: { ...LOCK_DEFAULTS, wait: 60_000, ttl: 70 } });
    void locks.tryLock('a');
    expect(provider.last.request.immediate).toBe(true);
  });

  test('returns null if its own `wait` elapsed in the queue', async () => {
    const { locks, provider, clock } = lockManager();
    const acquiring = locks.tryLock('a', { wait: 100 });
    provider.last.queue();
    clock.advance(100);
    expect(await acquiring).toBeNull();
  });

  test('throws all other errors: unavailable is not busy', async () => {
    const { locks, provider, clock } = lockManager({ connectTimeout: 300 });
    const late = rejectionOf(locks.tryLock('a'));
    clock.advance(300);
    expect(await late).toBeInstanceOf(LockUnavailableError);
    const failing = rejectionOf(locks.tryLock('a'));
    const error = new Error('no');
    provider.last.fail(error);
    expect(await failing).toBe(error);
  });
});

describe('tryLock with a signal', () => {
  test.for([
    ['LockBusyError', new LockBusyError('another', undefined)],
    ['LockTimeoutError', new LockTimeoutError('another', 5, undefined)],
  ] as const)(
    'that aborts with a %s rejects with it, because it says nothing about this lock',
    async ([, reason]) => {
      const { locks, log } = lockManager();
      const controller = new AbortController();
      const during = rejectionOf(locks.tryLock('a', { wait: 100, signal: controller.signal }));
      controller.abort(reason);
      expect(await during).toBe(reason);
      expect(await rejectionOf(locks.tryLock('a', { signal: controller.signal }))).toBe(reason);
      expect(log).toEqual(['aborted', 'aborted']);
    },
  );
});

describe('unlock', () => {
  test('releases the handle', async () => {
    const manager = lockManager();
    const held = await granted(manager);
    await expect(manager.locks.unlock(held)).resolves.toBe(true);
    await expect(manager.locks.unlock(held)).resolves.toBe(true);
    expect(manager.log).toEqual(['acquired', 'released']);
  });

  test.for(['a', null, { resource: 'a' }])(
    'refuses %o: a name does not prove that the caller holds the lock',
    async (value) => {
      const { locks } = lockManager();
      const refused = await rejectionOf(locks.unlock(value as unknown as HeldLock));
      expect(refused).toBeInstanceOf(LockConfigurationError);
      expect(String(refused)).toContain('unlock() takes the HeldLock that lock() or tryLock() returned: got');
    },
  );
});

describe('withLock', () => {
  test('runs the work under the lock and releases it', async () => {
    const { locks, provider, log } = lockManager();
    const done = locks.withLock('a', 5_000, (held) => `held: ${held.isHeld()}`);
    provider.last.grant();
    await expect(done).resolves.toBe('held: true');
    expect(log).toEqual(['acquired', 'released']);
  });

  test('does not run the work without the lock', async () => {
    const { locks, provider } = lockManager();
    let runs = 0;
    const refused = rejectionOf(locks.withLock('a', { wait: 0 }, () => (runs += 1)));
    provider.last.busy();
    expect(await refused).toMatchObject({ code: 'LOCK_BUSY' });
    expect(runs).toBe(0);
  });
});

describe('the owner', () => {
  test('is <hostname>:<pid>:<8 hex digits>, unique per service', () => {
    const { locks } = lockManager({ owner: undefined });
    expect(locks.owner.startsWith(`${hostname()}:${process.pid}:`)).toBe(true);
    expect(locks.owner).toMatch(/:[0-9a-f]{8}$/);
    expect(lockManager({ owner: undefined }).locks.owner).not.toBe(locks.owner);
  });

  test('is the option `owner` if it is set', () => {
    expect(lockManager({ owner: 'cron' }).locks.owner).toBe('cron');
  });
});

test('the ttl of the module applies if the call has none', async () => {
  const manager = lockManager({ defaults: { ...LOCK_DEFAULTS, ttl: 500 } });
  await granted(manager);
  manager.clock.advance(500);
  expect(manager.log).toEqual(['acquired', 'ttlExpired']);
});

test('inspect checks the name and asks the provider', async () => {
  const { locks } = lockManager();
  await expect(locks.administration.inspect('a')).resolves.toEqual({
    resource: 'a',
    holder: null,
    holders: [],
    waiters: [],
  });
  await expect(locks.administration.inspect('\ud800')).rejects.toThrow(LockConfigurationError);
});

test('calls with one signal add one listener to it, and none when they have ended (H47)', async () => {
  const { locks, provider } = lockManager();
  const controller = new AbortController();
  const listeners = () => getEventListeners(controller.signal, 'abort').length;
  const aborted = (_resource: string, abort?: Abort) => abortable<never>(abort, () => () => {});
  Object.assign(provider, { inspect: aborted, requestRelease: aborted });
  const { administration } = locks;
  const calls = Array.from({ length: 12 }, (_, number) => [
    administration.inspect(`a${number}`, controller.signal),
    administration.requestRelease(`a${number}`, controller.signal),
  ]).flat();
  expect(listeners()).toBe(1);
  controller.abort(new Error('enough'));
  for (const call of calls) await expect(call).rejects.toThrow('enough');
  expect(listeners()).toBe(0);
});

test('warnings of the provider are logged', () => {
  const { provider, warnings } = lockManager();
  provider.listener.warning('read me');
  expect(warnings).toEqual(['read me']);
});

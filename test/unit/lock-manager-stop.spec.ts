import { expect, test } from 'vitest';
import { LockClosedError } from '../../lib/locking/errors/lock-closed.error.js';
import { granted, lockManager, rejectionOf, watched } from './manager-harness.js';
import { TestGrant } from './test-grant.js';

const DRAIN = 10_000;

test('stop rejects waiters and later acquisitions', async () => {
  const { locks, provider, clock, log } = lockManager();
  const waiting = rejectionOf(locks.lock('a', { wait: 5_000 }));
  provider.last.queue();
  await locks.lifecycle.stop();
  expect(await waiting).toBeInstanceOf(LockClosedError);
  expect(await waiting).toMatchObject({ code: 'LOCK_CLOSED', resource: 'a', retryAfterMs: 1_000 });
  for (const late of [
    locks.lock('b'),
    locks.tryLock('b'),
    locks.withLock('b', 1, () => 1),
    locks.administration.inspect('b'),
  ]) {
    expect(await rejectionOf(late)).toBeInstanceOf(LockClosedError);
  }
  expect(provider.attempts).toHaveLength(1);
  expect(log).toEqual(['waiting', 'failed']);
  expect(clock.timers).toBe(0);
});

test('stop lets holders finish, and leaves no timer', async () => {
  const manager = lockManager();
  const held = await granted(manager);
  const stopped = watched(manager.locks.lifecycle.stop());
  await manager.clock.run(DRAIN - 1);
  expect(await stopped()).toBe(false);
  expect(held.isHeld()).toBe(true);
  await held.release();
  expect(await stopped()).toBe(true);
  expect(manager.clock.timers).toBe(0);
  expect(manager.log).toEqual(['acquired', 'released']);
});

test('stop waits until the store has confirmed the last release', async () => {
  const manager = lockManager();
  const grant = new TestGrant(1n, true);
  const held = await granted(manager, {}, grant);
  const stopped = watched(manager.locks.lifecycle.stop());
  void held.release();
  expect(await stopped()).toBe(false);
  grant.confirm();
  expect(await stopped()).toBe(true);
});

test('stop keeps the process alive while it waits', async () => {
  const manager = lockManager();
  await granted(manager);
  void manager.locks.lifecycle.stop();
  expect(manager.clock.keepingAlive).toBe(1);
});

test('stop ends holds after drainTimeout, but keeps their nodes until the work settles', async () => {
  const manager = lockManager();
  const grant = new TestGrant();
  const held = await granted(manager, {}, grant);
  const stopped = watched(manager.locks.lifecycle.stop());
  await manager.clock.run(DRAIN);
  expect(await stopped()).toBe(true);
  expect(held.isHeld()).toBe(false);
  expect(held.signal.reason).toMatchObject({ reason: 'shutdown' });
  expect(manager.log).toEqual(['acquired', 'lost']);
  expect(grant.releases).toBe(0);
  await held.release();
  expect(grant.releases).toBe(1);
});

test('stop waits for the rest of a minHold', async () => {
  const manager = lockManager();
  const held = await granted(manager, { minHold: 3_000 });
  await held.release();
  const stopped = watched(manager.locks.lifecycle.stop());
  await manager.clock.run(2_999);
  expect(await stopped()).toBe(false);
  await manager.clock.run(1);
  expect(await stopped()).toBe(true);
  expect(manager.log).toEqual(['acquired', 'released']);
});

test('stop waits for a minHold at most for drainTimeout', async () => {
  const manager = lockManager();
  const held = await granted(manager, { minHold: 60_000 });
  await held.release();
  const stopped = watched(manager.locks.lifecycle.stop());
  await manager.clock.run(DRAIN);
  expect(await stopped()).toBe(true);
  expect(manager.log).toEqual(['acquired', 'released']);
});

test('stop called by a subscriber of acquired waits for that hold too', async () => {
  const manager = lockManager();
  let stopped = async (): Promise<boolean> => false;
  manager.locks.events.events$.subscribe((event) => {
    if (event.type === 'acquired') stopped = watched(manager.locks.lifecycle.stop());
  });
  const held = await granted(manager);
  expect(await stopped()).toBe(false);
  expect(held.isHeld()).toBe(true);
  await held.release();
  expect(await stopped()).toBe(true);
});

test('a second stop does nothing', async () => {
  const manager = lockManager();
  expect(manager.locks.lifecycle.stop()).toBe(manager.locks.lifecycle.stop());
  await manager.locks.lifecycle.stop();
});

import { describe, expect, test } from 'vitest';
import { hold } from './hold-harness.js';

describe('minHold', () => {
  test('release resolves immediately, and the lock becomes free at the end of minHold', async () => {
    const { held, grant, clock, log } = hold({ minHold: 1_000 });
    clock.advance(300);
    await expect(held.release()).resolves.toBe(true);
    expect(held.isHeld()).toBe(false);
    await clock.run(699);
    expect(grant.releases).toBe(0);
    expect(log).toEqual([]);
    await clock.run(1);
    expect(grant.releases).toBe(1);
    expect(log).toEqual(['released', 'ended']);
  });

  test('that is over does not delay the release', async () => {
    const { held, grant, clock } = hold({ minHold: 1_000 });
    clock.advance(1_000);
    expect(clock.timers).toBe(0);
    await expect(held.release()).resolves.toBe(true);
    expect(grant.releases).toBe(1);
  });

  test('stops the ttl: nothing expires while the lock lingers', async () => {
    const { held, clock, log, events } = hold({ minHold: 2_000, ttl: 2_000 });
    await held.release();
    expect(clock.timers).toBe(1);
    await clock.run(5_000);
    expect(log).toEqual(['released', 'ended']);
    expect(events[0]).toMatchObject({ heldMs: 2_000 });
  });

  test('a second release returns the outcome of the first', async () => {
    const { held, grant, clock, log } = hold({ minHold: 1_000 });
    await expect(Promise.all([held.release(), held.release()])).resolves.toEqual([true, true]);
    expect(grant.releases).toBe(0);
    await clock.run(1_000);
    expect(log).toEqual(['released', 'ended']);
  });

  test('finish does not wait for it', async () => {
    const { held } = hold({ minHold: 1_000 });
    await expect(held.finish()).resolves.toBeUndefined();
  });
});

describe('a lingering lock', () => {
  test('that is lost is reported as lost, not as released', async () => {
    const { held, grant, clock, log } = hold({ minHold: 1_000 });
    const released = held.release();
    grant.lose('session');
    await clock.run(5_000);
    expect(log).toEqual(['lost session', 'ended']);
    expect(clock.timers).toBe(0);
    await expect(released).resolves.toBe(true);
    // Its own code has released it, and goes on.
    expect([held.loss, held.signal.aborted]).toEqual([undefined, false]);
    expect(() => held.throwIfLost()).not.toThrow();
  });

  test('is released early by a shutdown, because its work has settled', async () => {
    const { held, grant, clock, log } = hold({ minHold: 1_000 });
    await held.release();
    held.abandon();
    expect(grant.releases).toBe(1);
    await clock.run(5_000);
    expect(log).toEqual(['released', 'ended']);
  });

  test('is not held', async () => {
    const { held } = hold({ minHold: 1_000 });
    await held.release();
    expect(() => held.assertHeld()).toThrow('is not held (released)');
  });
});

test('work that exceeds the ttl loses the lock even with minHold', async () => {
  const { held, clock, log } = hold({ minHold: 1_000, ttl: 1_000 });
  await clock.run(800);
  expect(log).toEqual(['ttlWarning']);
  await clock.run(200);
  await expect(held.release()).resolves.toBe(false);
  expect(log).toContain('ttlExpired');
  expect(log).not.toContain('released');
});

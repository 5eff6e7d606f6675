import { describe, expect, test } from 'vitest';
import { hold } from './hold-harness.js';

/** After a stall of the event loop the next line of the caller runs before any timer (H41). */
describe('after a stall beyond the ttl', () => {
  test('isHeld is false before any timer fired', () => {
    const { held, clock, log } = hold({ ttl: 500 });
    clock.stall(500);
    expect(held.isHeld()).toBe(false);
    expect(log).toEqual([]);
  });

  test('release resolves with false and reports the expiry once', async () => {
    const { held, grant, clock, log } = hold({ ttl: 500 });
    clock.stall(700);
    await expect(held.release()).resolves.toBe(false);
    await clock.run(1_000);
    expect(log.filter((entry) => entry !== 'ended')).toEqual(['abort ttl', 'ttlExpired']);
    expect(grant.releases).toBeGreaterThan(0);
    expect(clock.timers).toBe(0);
  });

  test('late timers report the same, once', async () => {
    const { clock, log } = hold({ ttl: 5_000 });
    clock.stall(7_000);
    await clock.run(0);
    expect(log.filter((entry) => entry !== 'ended')).toEqual(['abort ttl', 'ttlExpired']);
  });

  test('assertHeld throws the error the signal gets', () => {
    const { held, clock } = hold({ ttl: 500 });
    clock.stall(500);
    const thrown = thrownBy(() => held.assertHeld());
    expect(thrown).toMatchObject({ reason: 'ttl' });
    expect(held.signal.reason).toBe(thrown);
  });
});

describe('after a stall beyond the deadline of the session', () => {
  test('isHeld is false before the store reports the loss', () => {
    const { held, grant, clock, log } = hold();
    grant.deadline = clock.elapsed() + 1_000;
    clock.stall(1_000);
    expect(held.isHeld()).toBe(false);
    expect(log).toEqual([]);
  });

  test('release resolves with false and reports the loss once', async () => {
    const { held, grant, clock, log } = hold();
    grant.deadline = clock.elapsed() + 1_000;
    clock.stall(1_000);
    const released = held.release();
    grant.lose('session');
    await expect(released).resolves.toBe(false);
    expect(log.filter((entry) => entry !== 'ended')).toEqual(['abort session', 'lost session']);
  });

  test('assertHeld throws the error the signal gets', () => {
    const { held, grant, clock, log } = hold();
    grant.deadline = clock.elapsed() + 1_000;
    clock.stall(1_000);
    const thrown = thrownBy(() => held.assertHeld());
    expect(thrown).toMatchObject({ reason: 'session' });
    expect(held.signal.reason).toBe(thrown);
    expect(log).toEqual(['abort session', 'lost session']);
  });

  test('the reason is the ttl if that has elapsed too', () => {
    const { held, grant, clock } = hold({ ttl: 500 });
    grant.deadline = clock.elapsed() + 300;
    clock.stall(1_000);
    expect(thrownBy(() => held.assertHeld())).toMatchObject({ reason: 'ttl' });
  });
});

describe('a false isHeld()', () => {
  test('aborts the signal and emits the event in the same turn, after the session deadline', async () => {
    const { held, grant, clock, log } = hold();
    grant.deadline = clock.elapsed() + 500;
    clock.sleep(500);
    expect([held.isHeld(), held.isHeld()]).toEqual([false, false]);
    await Promise.resolve();
    expect(log).toEqual(['abort session', 'lost session']);
  });

  test('aborts the signal and emits the event in the same turn, after the ttl', async () => {
    const { held, clock, log } = hold({ ttl: 500 });
    clock.stall(500);
    expect([held.isHeld(), held.isHeld()]).toEqual([false, false]);
    await Promise.resolve();
    expect(log).toEqual(['abort ttl', 'ttlExpired']);
  });

  test('reports nothing more after the release', async () => {
    const { held, grant, clock, log } = hold();
    grant.deadline = clock.elapsed() + 500;
    clock.sleep(500);
    expect(held.isHeld()).toBe(false);
    const released = held.release();
    await expect(released).resolves.toBe(false);
    expect(log).toEqual(['abort session', 'lost session', 'ended', 'ended']);
  });
});

test('after a suspension of the machine the lock is no longer held (H42)', async () => {
  const { held, grant, clock, log } = hold();
  grant.deadline = clock.elapsed() + 1_000;
  clock.sleep(60_000);
  expect(held.isHeld()).toBe(false);
  await expect(held.release()).resolves.toBe(false);
  expect(log).toContain('lost session');
});

function thrownBy(call: () => void): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('It did not throw');
}

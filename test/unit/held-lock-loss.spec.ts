import { describe, expect, test } from 'vitest';
import { LockLostError, type LossReason } from '../../lib/locking/errors/lock-lost.error.js';
import { settled } from './fake-clock.js';
import { RESOURCE, hold } from './hold-harness.js';
import { TestGrant } from './test-grant.js';

describe('a loss', () => {
  test.for(['session', 'deleted', 'revoked', 'authentication'] as LossReason[])(
    'by %s: state, then signal, then event; then the node goes to the clean-up',
    async (reason) => {
      const { held, grant, clock, log, events } = hold({ ttl: 5_000, owner: 'me' });
      held.signal.addEventListener('abort', () => log.push(`isHeld ${held.isHeld()}`));
      clock.advance(40);
      const cause = new Error('why');
      grant.lose(reason, cause);
      expect(log).toEqual([`abort ${reason}`, 'isHeld false', `lost ${reason}`]);
      expect(held.loss).toMatchObject({ reason, resource: RESOURCE, cause });
      expect(held.signal.reason).toBe(held.loss);
      expect(events).toEqual([expect.objectContaining({ reason, error: held.loss, heldMs: 40 })]);
      expect(grant.releases).toBe(1);
      expect(clock.timers).toBe(0);
      await settled();
      expect(log.at(-1)).toBe('ended');
    },
  );

  test('is final, and reported once', async () => {
    const { held, grant, clock, log } = hold({ ttl: 5_000 });
    grant.lose('session');
    grant.deadline = Infinity;
    grant.lose('deleted');
    held.abandon();
    await clock.run(10_000);
    expect(held.isHeld()).toBe(false);
    expect(log).toEqual(['abort session', 'lost session', 'ended']);
  });

  test('makes release resolve with false and emit nothing', async () => {
    const { held, grant, log } = hold();
    grant.lose('session');
    await expect(held.release()).resolves.toBe(false);
    expect(log.filter((entry) => entry !== 'ended')).toEqual(['abort session', 'lost session']);
  });

  test('makes assertHeld throw the same error as the signal', () => {
    const { held, grant } = hold();
    grant.lose('deleted');
    expect(() => held.assertHeld()).toThrow(held.signal.reason as Error);
  });

  test('between the grant and the start is reported at the start', () => {
    const grant = new TestGrant();
    grant.lose('session');
    const { held, clock, log } = hold({ grant, ttl: 5_000 });
    expect(held.isHeld()).toBe(false);
    expect(log).toEqual(['abort session', 'lost session']);
    expect(clock.timers).toBe(0);
  });

  test('aborts even a signal that is first used afterwards', () => {
    const { held, grant } = hold({ watched: false });
    grant.lose('session');
    expect(held.signal.aborted).toBe(true);
    expect(held.signal.reason).toBeInstanceOf(LockLostError);
    expect(held.signal).toBe(held.signal);
  });
});

describe('isHeld follows the deadline of the grant', () => {
  test('which moves forward', () => {
    const { held, grant, clock } = hold();
    grant.deadline = clock.elapsed() + 100;
    clock.advance(99);
    expect(held.isHeld()).toBe(true);
    clock.advance(1);
    expect(held.isHeld()).toBe(false);
    grant.deadline = clock.elapsed() + 1;
    expect(held.isHeld()).toBe(true);
  });

  test('and includes the time that the machine was suspended (H42)', () => {
    const { held, grant, clock } = hold();
    grant.deadline = clock.elapsed() + 100;
    clock.sleep(100);
    expect(held.isHeld()).toBe(false);
  });
});

describe('the shutdown of the application', () => {
  test('loses the hold, but leaves its node until the work settles', async () => {
    const { held, grant, log } = hold();
    held.abandon();
    await settled();
    expect(log).toEqual(['abort shutdown', 'lost shutdown']);
    expect(grant.releases).toBe(0);
    await expect(held.release()).resolves.toBe(false);
    expect(grant.releases).toBe(1);
    expect(log).toEqual(['abort shutdown', 'lost shutdown', 'ended']);
  });

  test('does not change a hold that was released', async () => {
    const { held, log } = hold();
    await held.release();
    held.abandon();
    expect(log).toEqual(['released', 'ended']);
  });
});

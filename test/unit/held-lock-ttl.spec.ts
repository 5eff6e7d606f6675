import { describe, expect, test } from 'vitest';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import { settled } from './fake-clock.js';
import { RESOURCE, hold } from './hold-harness.js';

describe('an elapsed ttl', () => {
  test('changes the state, aborts the signal, emits the event, and then releases the lock (H44)', async () => {
    const { held, grant, clock, log } = hold({ ttl: 500 });
    clock.advance(499);
    expect(held.isHeld()).toBe(true);
    expect(log).toEqual([]);
    held.signal.addEventListener('abort', () =>
      log.push(`isHeld ${held.isHeld()}, ${grant.releases} releases`),
    );
    clock.advance(1);
    expect(log).toEqual(['abort ttl', 'isHeld false, 0 releases', 'ttlExpired']);
    expect(grant.releases).toBe(1);
    await settled();
    expect(log.at(-1)).toBe('ended');
  });

  test('emits an event with the fields for a log', () => {
    const { held, clock, events } = hold({ ttl: 500, owner: 'me' });
    clock.advance(500);
    expect(events).toEqual([
      {
        type: 'ttlExpired',
        resource: RESOURCE,
        owner: 'me',
        mode: 'exclusive',
        fencingToken: 1n,
        heldMs: 500,
        at: clock.wall(),
      },
    ]);
    expect(held.loss).toBeInstanceOf(LockLostError);
    expect(held.loss).toMatchObject({ reason: 'ttl', resource: RESOURCE });
  });

  test('is the only end of the hold', async () => {
    const { held, grant, clock, log } = hold({ ttl: 500 });
    clock.advance(500);
    grant.lose('session');
    held.abandon();
    await expect(held.release()).resolves.toBe(false);
    await clock.run(1_000);
    expect(new Set(log)).toEqual(new Set(['abort ttl', 'ttlExpired', 'ended']));
    expect(log.filter((entry) => entry === 'ttlExpired')).toHaveLength(1);
  });

  test('is measured in monotonic time, without the suspension of the machine', () => {
    const { held, clock } = hold({ ttl: 500 });
    clock.sleep(10_000);
    expect(held.isHeld()).toBe(true);
  });
});

describe('the warning', () => {
  test('comes once, at 80 % of the ttl', () => {
    const { clock, log, events } = hold({ ttl: 1_000 });
    clock.advance(799);
    expect(log).toEqual([]);
    clock.advance(1);
    expect(log).toEqual(['ttlWarning']);
    expect(events[0]).toMatchObject({ heldMs: 800, remainingMs: 200 });
    clock.advance(10_000);
    expect(log).toEqual(['ttlWarning', 'abort ttl', 'ttlExpired']);
  });

  test('does not come for a ttl below a second', () => {
    const { clock, log } = hold({ ttl: 999 });
    clock.advance(998);
    expect(log).toEqual([]);
  });

  test('does not come without a ttl, nor does any other event', () => {
    const { held, clock } = hold({ ttl: 0 });
    expect(clock.timers).toBe(0);
    clock.advance(2 ** 31);
    expect(held.isHeld()).toBe(true);
  });
});

test('no timer of a hold keeps the process alive', () => {
  const { clock } = hold({ ttl: 5_000 });
  expect(clock.timers).toBe(2);
  expect(clock.keepingAlive).toBe(0);
});

test('a timer that fires early waits for the rest', () => {
  const { held, clock, log } = hold({ ttl: 500 });
  const late = clock.monotonic.bind(clock);
  let early = 0;
  clock.monotonic = () => late() - early;
  early = 1;
  clock.advance(500);
  expect(log).toEqual([]);
  expect(held.isHeld()).toBe(true);
  clock.advance(1);
  expect(log).toEqual(['abort ttl', 'ttlExpired']);
});

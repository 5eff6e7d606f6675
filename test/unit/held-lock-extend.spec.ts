import { describe, expect, test } from 'vitest';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import { RESOURCE, hold } from './hold-harness.js';

describe('a hold that is extended', () => {
  test('lasts for its new ttl from then on', () => {
    const { held, clock, log } = hold({ ttl: 500 });
    clock.advance(400);
    held.extend(300);
    clock.advance(299);
    expect(held.isHeld()).toBe(true);
    expect(log).toEqual(['extended']);
    clock.advance(1);
    expect(held.isHeld()).toBe(false);
    expect(log).toEqual(['extended', 'abort ttl', 'ttlExpired']);
  });

  test('may end earlier than before', () => {
    const { held, clock } = hold({ ttl: 5_000 });
    held.extend(100);
    clock.advance(100);
    expect(held.loss).toMatchObject({ reason: 'ttl' });
  });

  test('has a ttl although it had none', () => {
    const { held, clock } = hold({ ttl: 0 });
    clock.advance(10_000);
    held.extend(100);
    clock.advance(100);
    expect(held.isHeld()).toBe(false);
  });

  test('has no limit with 0', () => {
    const { held, clock, log } = hold({ ttl: 1_000 });
    held.extend(0);
    expect(clock.timers).toBe(0);
    clock.advance(2 ** 31);
    expect(held.isHeld()).toBe(true);
    expect(log).toEqual(['extended']);
  });

  test('is warned once, at 80 % of its new ttl', () => {
    const { held, clock, log, events } = hold({ ttl: 1_000 });
    clock.advance(500);
    held.extend(2_000);
    clock.advance(1_599);
    expect(log).toEqual(['extended']);
    clock.advance(1);
    expect(log).toEqual(['extended', 'ttlWarning']);
    expect(events[1]).toMatchObject({ heldMs: 2_100, remainingMs: 400 });
  });

  test('is warned for a ttl of exactly one second, although time passes during the call', () => {
    const { held, clock, log } = hold({ ttl: 0 });
    const monotonic = clock.monotonic.bind(clock);
    let passed = 0;
    clock.monotonic = () => monotonic() + (passed += 0.001);
    held.extend(1_000);
    clock.advance(810);
    expect(log).toEqual(['extended', 'ttlWarning']);
  });

  test('emits an event with the fields for a log', () => {
    const { held, clock, events } = hold({ ttl: 500, owner: 'me' });
    clock.advance(100);
    held.extend(700);
    expect(events).toEqual([
      {
        type: 'extended',
        ttl: 700,
        resource: RESOURCE,
        owner: 'me',
        mode: 'exclusive',
        fencingToken: 1n,
        heldMs: 100,
        at: clock.wall(),
      },
    ]);
  });

  test('is lost with its session all the same', () => {
    const { held, grant } = hold({ ttl: 500 });
    held.extend(60_000);
    grant.lose('session');
    expect(held.isHeld()).toBe(false);
    expect(held.loss).toMatchObject({ reason: 'session' });
  });
});

describe('a hold is not extended', () => {
  const refused = (extend: () => void, reason: string): void => {
    expect(extend).toThrow(LockLostError);
    expect(extend).toThrow(expect.objectContaining({ reason }));
  };

  test('after it was lost', () => {
    const { held, grant, log } = hold();
    grant.lose('deleted');
    refused(() => held.extend(100), 'deleted');
    expect(log).not.toContain('extended');
  });

  test('after its ttl, even if the timers are late (H41)', () => {
    const { held, clock, log } = hold({ ttl: 500 });
    clock.stall(500);
    refused(() => held.extend(100), 'ttl');
    expect(log).toEqual(['abort ttl', 'ttlExpired']);
  });

  test('after the deadline of its session', () => {
    const { held, grant, clock } = hold();
    grant.deadline = clock.elapsed();
    refused(() => held.extend(100), 'session');
  });

  test('after its release', () => {
    const { held } = hold({ ttl: 500 });
    held.end();
    refused(() => held.extend(100), 'released');
  });

  test('to an end before its minHold', () => {
    const { held, clock } = hold({ ttl: 1_000, minHold: 800 });
    clock.advance(100);
    expect(() => held.extend(699)).toThrow(
      'The hold must last until the end of its minHold, for another 700 ms: got a ttl of 699 ms',
    );
    held.extend(700);
    clock.advance(699);
    expect(held.isHeld()).toBe(true);
  });

  test.for([
    [-1, 'got -1 (number)'],
    [1.5, 'got 1.5 (number)'],
    [2 ** 31, 'got 2147483648 (number)'],
    [Infinity, 'got Infinity (number)'],
    ['5s', "got '5s' (string)"],
    [undefined, '`ttl` is missing'],
  ] as const)('by %o', ([ttl, problem]) => {
    const { held, clock } = hold({ ttl: 500 });
    expect(() => held.extend(ttl as number)).toThrow(LockConfigurationError);
    expect(() => held.extend(ttl as number)).toThrow(problem);
    clock.advance(499);
    expect(held.isHeld()).toBe(true);
  });
});

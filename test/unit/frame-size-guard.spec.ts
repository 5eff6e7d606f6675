import { describe, expect, test } from 'vitest';
import { FrameSizeGuard } from '../../lib/zookeeper/client/frame-size-guard.js';
import { FakeClock } from './fake-clock.js';

const T = 20_000;
const PATH = '/locks/order';

interface Harness {
  readonly clock: FakeClock;
  readonly guard: FrameSizeGuard;
  /** The server ends the connection `ms` after it was sent a frame that it has not answered. */
  readonly strike: (bytes: number, after?: number) => void;
}

function newGuard(): Harness {
  const clock = new FakeClock();
  const guard = new FrameSizeGuard(clock, () => T);
  const strike = (bytes: number, after = 5): void => {
    const sentAt = clock.monotonic();
    clock.advance(after);
    guard.hungUp({ bytes, sentAt });
  };
  return { clock, guard, strike };
}

const refuses = (guard: FrameSizeGuard, bytes: number): boolean => guard.refusal(bytes, PATH) !== undefined;

test('a request is refused, and larger ones too, after two connections that the server ended when it was sent', () => {
  const { guard, strike } = newGuard();
  guard.answered(3_000);
  strike(6_004);
  expect(refuses(guard, 6_004)).toBe(false);
  strike(6_004);
  expect(guard.refusal(6_004, PATH)).toMatchObject({
    code: 'REQUEST_TOO_LARGE',
    path: PATH,
    recoverable: false,
    mayHaveBeenApplied: false,
    message: expect.stringMatching(/of 6000 bytes: .*jute\.maxbuffer/),
  });
  expect(refuses(guard, 50_000)).toBe(true);
  expect(refuses(guard, 6_003)).toBe(false);
});

test.each([
  [6_000, 9_000],
  [9_000, 6_000],
])('of two requests that take turns, the smaller one is refused too: %i, %i', (first, second) => {
  const { guard, strike } = newGuard();
  strike(first);
  strike(second);
  expect(refuses(guard, 6_000)).toBe(true);
  expect(refuses(guard, 5_999)).toBe(false);
});

test('if a larger size is refused, a smaller request needs a single strike', () => {
  const { guard, strike } = newGuard();
  strike(9_000);
  strike(9_000);
  strike(6_000);
  expect(refuses(guard, 6_000)).toBe(true);
  expect(refuses(guard, 5_999)).toBe(false);
});

describe('not counted as a strike:', () => {
  test.each<[string, (harness: Harness) => void]>([
    ['the end of a connection on which nothing was unanswered', ({ guard }) => guard.hungUp(undefined)],
    ['an end that comes later than T/20 after the request', ({ strike }) => strike(6_000, T / 20 + 1)],
    [
      'a request no larger than one that any server has answered',
      ({ guard, strike }) => {
        guard.answered(6_000);
        strike(6_000);
      },
    ],
    [
      'an end that was followed by an answer to a request of that size',
      ({ guard, strike }) => {
        strike(6_000);
        guard.answered(6_000);
      },
    ],
    [
      'an end more than a session timeout ago',
      ({ clock, strike }) => {
        strike(6_000);
        clock.advance(T + 1);
      },
    ],
  ])('%s', (_what, happen) => {
    const harness = newGuard();
    happen(harness);
    harness.strike(6_000);
    expect(refuses(harness.guard, 6_000)).toBe(false);
    happen(harness);
    expect(refuses(harness.guard, 6_000)).toBe(false);
  });
});

test('requests of the size of an ordinary lock are never refused, even if the server ends every connection', () => {
  const { guard, strike } = newGuard();
  for (let strikes = 0; strikes < 10; strikes += 1) strike(2_048);
  expect(refuses(guard, 2_048)).toBe(false);
});

describe('a refusal', () => {
  test('ends after a session timeout, and after twice as long with each further strike', () => {
    const { clock, guard, strike } = newGuard();
    strike(6_000);
    for (const pause of [T, 2 * T, 4 * T]) {
      strike(6_000);
      clock.advance(pause - 1);
      expect(refuses(guard, 6_000)).toBe(true);
      clock.advance(1);
      expect(refuses(guard, 6_000)).toBe(false);
    }
  });

  test('never lasts longer than 64 session timeouts', () => {
    const { clock, guard, strike } = newGuard();
    for (let strikes = 0; strikes < 100; strikes += 1) strike(6_000);
    clock.advance(64 * T);
    expect(refuses(guard, 6_000)).toBe(false);
  });

  test('ends with an answer to a request of that size', () => {
    const { clock, guard, strike } = newGuard();
    strike(6_000);
    strike(6_000);
    clock.advance(T);
    guard.answered(6_000);
    strike(7_000);
    expect(refuses(guard, 7_000)).toBe(false);
  });
});

test('after one strike, what can be sent in parts is only as large as what was answered, until the longest pause is over', () => {
  const { clock, guard, strike } = newGuard();
  guard.answered(3_000);
  expect(guard.isProven(50_000)).toBe(true);
  strike(6_000);
  expect([guard.isProven(3_000), guard.isProven(3_001)]).toEqual([true, false]);
  clock.advance(64 * T);
  expect(guard.isProven(3_001)).toBe(true);
  strike(6_000);
  guard.answered(6_000);
  expect(guard.isProven(50_000)).toBe(true);
});

import { expect, it } from 'vitest';
import { EXACT } from '../history/precision.js';
import { attempt, connection, type TinyHistory } from './tiny-history.js';
import { fault, violatedInvariants } from './violated-invariants.js';

/** With a `connectTimeout` of 5 s and a session timeout of 2 s. */
function waitedUntil(ms: number): TinyHistory {
  return {
    precision: EXACT,
    quietFrom: 90_000,
    hasOneSession: true,
    attempts: [
      attempt('p1.1#1').asked(1_000).add(ms, { what: 'ended', attempt: 'p1.1#1', outcome: 'unavailable' }),
    ],
    events: [connection('p1.1', 0, 'ready'), connection('p1.1', 1_000, 'suspended')],
  };
}

const throttle = fault('throttle', 's1', 2_000, 3_000);

it.each([
  ['in time', waitedUntil(6_400), []],
  ['too long', waitedUntil(7_200), ['L1']],
  ['as long, for a server that refuses heartbeats', { ...waitedUntil(7_200), faults: [throttle] }, []],
  ['too long even for that', { ...waitedUntil(9_200), faults: [throttle] }, ['L1']],
] as const)('L1, a call without contact waits %s', (_what, history, expected) =>
  expect(violatedInvariants(history)).toEqual(expected),
);

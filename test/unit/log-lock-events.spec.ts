import { expect, test } from 'vitest';
import { LockEvents } from '../../lib/locking/lock-events.js';
import { logLockEvents } from '../../lib/log-lock-events.js';
import { FakeClock } from './fake-clock.js';

const FAILED = "Work failed after it lost lock 'order:42': ";

class Unprintable extends Error {
  override toString(): string {
    throw new Error('unprintable');
  }
}

// An exception in the log would be an uncaught exception, and end the process.
test.for([
  [new TypeError('card\ndeclined'), 'TypeError: card\\u{a}declined', true],
  ['card\ndeclined', 'card\\u{a}declined', false],
  [Object.create(null), 'an object without a constructor', false],
  [{ toString: 7 }, 'an object Object', false],
  [new Unprintable('x'), 'an object Unprintable', true],
  [undefined, 'undefined', false],
] as [unknown, string, boolean][])('late work that rejects with %# is logged', ([error, text, hasStack]) => {
  const events = new LockEvents(new FakeClock());
  const lines: unknown[][] = [];
  const ignore = (): void => {};
  logLockEvents(events, { debug: ignore, log: ignore, warn: ignore, error: (...line) => lines.push(line) });
  const lock = {
    resource: 'order:42',
    owner: 'me',
    purpose: undefined,
    mode: 'exclusive',
    fencingToken: 1n,
  } as const;
  events.emit({ type: 'workRejected', ...lock, error });
  expect(lines).toEqual([[`${FAILED}${text}`, hasStack ? (error as Error).stack : undefined]]);
});

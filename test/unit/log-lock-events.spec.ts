import { expect, test } from 'vitest';
import { LockEvents } from '../../lib/locking/lock-events.js';
import { logLockEvents } from '../../lib/log-lock-events.js';
import { FakeClock } from './fake-clock.js';

const FAILED = "Work failed after it lost lock 'order:42': ";

const LOCK = {
  resource: 'order:42',
  owner: 'me',
  purpose: undefined,
  mode: 'exclusive',
  fencingToken: 1n,
} as const;

function logged(): { events: LockEvents; errors: unknown[][] } {
  const events = new LockEvents(new FakeClock());
  const errors: unknown[][] = [];
  const ignore = (): void => {};
  logLockEvents(events, { debug: ignore, log: ignore, warn: ignore, error: (...line) => errors.push(line) });
  return { events, errors };
}

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
  const { events, errors } = logged();
  events.emit({ type: 'workRejected', ...LOCK, error });
  expect(errors).toEqual([[`${FAILED}${text}`, hasStack ? (error as Error).stack : undefined]]);
});

test('work that fails after the service has closed is logged, although no stream tells of it', () => {
  const { events, errors } = logged();
  const told: string[] = [];
  events.events$.subscribe({ next: ({ type }) => told.push(type), complete: () => told.push('complete') });
  events.emit({ type: 'closed' });
  events.emit({ type: 'released', ...LOCK, heldMs: 1 });
  events.emit({ type: 'workRejected', ...LOCK, error: 'card declined' });
  expect(errors).toEqual([[`${FAILED}card declined`, undefined]]);
  expect(told).toEqual(['closed', 'complete']);
});

import { expect, test } from 'vitest';
import { nanoseconds } from '../../history/moments.js';
import type { Incarnation } from '../../history/run-history.js';
import { mayLeavePaths } from './final-state.js';

const RUNNING = {
  actor: 'p1.1',
  process: 1,
  sessionTimeout: 8_000,
  connectTimeout: 4_000,
  from: 0n,
  to: nanoseconds(9_000),
};

test.each<[what: string, Pick<Incarnation, 'end' | 'closingSince'>, expected: boolean]>([
  ['killed', { end: 'killed' }, true],
  ['shut down at once', { end: 'shutDown', closingSince: nanoseconds(8_900) }, false],
  ['shut down when removals took too long', { end: 'shutDown', closingSince: nanoseconds(7_000) }, true],
  ['closed when removals took too long', { end: 'closed', closingSince: nanoseconds(6_500) }, true],
  ['stuck', { end: 'stuck' }, false],
])('a process that was %s', (_what, end, expected) =>
  expect(mayLeavePaths({ ...RUNNING, ...end })).toBe(expected),
);

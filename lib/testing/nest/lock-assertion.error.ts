import type { RecordedHold } from './recorded-holds.js';

/**
 * A failed assertion about locks.
 *
 * @publicApi
 */
export class LockAssertionError extends Error {
  override readonly name = 'LockAssertionError';

  constructor(what: string, holds: readonly RecordedHold[]) {
    super(`${what}. ${describeHolds(holds)}`);
  }
}

function describeHolds(holds: readonly RecordedHold[]): string {
  if (holds.length === 0) return 'The application under test has not held any lock so far.';
  const lines = holds.map(
    ({ resource, purpose, end }) =>
      `  '${resource}' for ${purpose ?? 'code without a purpose'}, ${end ?? 'held'}`,
  );
  return `Locks held so far:\n${lines.join('\n')}`;
}

import type { RecordedHold } from './recorded-holds.js';

/**
 * An expectation of a test about locks that does not hold.
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
  if (holds.length === 0) return 'The application under test has held no lock so far.';
  const lines = holds.map(
    ({ resource, purpose, end }) =>
      `  '${resource}' for ${purpose ?? 'code without a purpose'}, ${end ?? 'held'}`,
  );
  return `So far were held:\n${lines.join('\n')}`;
}

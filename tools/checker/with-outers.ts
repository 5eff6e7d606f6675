import type { Attempt } from './attempt.js';

/** The attempt, and those around it whose grant it shares: the innermost first. */
export function withOuters(attempt: Attempt, named: ReadonlyMap<string, Attempt>): Attempt[] {
  const outer = named.get(attempt.asked.nestedIn ?? '');
  return outer?.root === attempt.root ? [attempt, ...withOuters(outer, named)] : [attempt];
}

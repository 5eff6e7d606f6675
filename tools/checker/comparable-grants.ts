import { groupBy } from '../history/group-by.js';
import type { ProcessEventOf } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempt.js';

export type Granted = Attempt & { readonly grant: ProcessEventOf<'granted'> };

/**
 * The grants of each resource. When the servers lose their data, they forget the queue and start the tokens anew: grants
 * from before and after that are in different groups, and those that may be from either side in none. A nested call has
 * the grant of the outermost one.
 */
export function* comparableGrants(
  attempts: readonly Attempt[],
  { faults }: Pick<RunHistory, 'faults'>,
): Generator<Granted[]> {
  const losses = faults.filter(({ kind, struck }) => kind === 'dataLoss' && struck);
  const granted = attempts.filter((attempt): attempt is Granted => attempt.grant !== undefined);
  const byName = new Map(granted.map((attempt) => [attempt.name, attempt]));
  const outermost = (attempt: Granted): Granted => byName.get(attempt.root) ?? attempt;
  const certain = granted.filter((attempt) => {
    const { placeFrom, grant } = outermost(attempt);
    return !losses.some(({ from, to }) => placeFrom <= to && grant.at >= from);
  });
  const lossesBefore = (attempt: Granted): number =>
    losses.filter(({ from }) => from <= outermost(attempt).grant.at).length;
  for (const ofResource of groupBy(certain, ({ resource }) => resource).values())
    yield* groupBy(ofResource, lossesBefore).values();
}

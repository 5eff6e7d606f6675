import { groupBy } from '../history/group-by.js';
import type { ProcessEventOf } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempts.js';

export type Granted = Attempt & { readonly grant: ProcessEventOf<'granted'> };

/**
 * The grants of each resource. When the servers lose their data, they forget the queue and start the tokens anew: grants
 * from before and after that are in different groups, and those that may be from either side in none.
 */
export function* comparableGrants(
  attempts: readonly Attempt[],
  { faults }: Pick<RunHistory, 'faults'>,
): Generator<Granted[]> {
  const losses = faults.filter(({ kind, struck }) => kind === 'dataLoss' && struck);
  const granted = attempts.filter((attempt): attempt is Granted => attempt.grant !== undefined);
  const certain = granted.filter(
    (attempt) => !losses.some(({ from, to }) => attempt.placeFrom <= to && attempt.grant.at >= from),
  );
  for (const ofResource of groupBy(certain, ({ resource }) => resource).values())
    yield* groupBy(ofResource, ({ grant }) => losses.filter(({ from }) => from <= grant.at).length).values();
}

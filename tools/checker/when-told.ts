import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { earliest } from './intervals.js';

/** When the work of a hold was told that it is over, at the latest: nobody needs to tell work that has ended. */
export function whenTold(attempt: Attempt, { run }: Pick<RunHistory, 'run'>): bigint {
  const [signalled] = eventsOf(attempt, 'signalled');
  const [releasing] = eventsOf(attempt, 'releasing');
  return earliest(signalled?.at, releasing?.at, attempt.incarnation?.to) ?? run.endedAt;
}

import { groupBy } from '../history/group-by.js';
import { milliseconds, moment } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import type { Granted } from './comparable-grants.js';
import { ENDS_OF_HOLDS } from './event-grammar.js';
import { earliest } from './intervals.js';
import { Stalls } from './stalls.js';
import { turnOf } from './turns.js';
import type { Violation } from './violation.js';

/** A thread tells the holders one after the other, ms. */
const IN_A_ROW_MS = 5;

/** S1, of readers of one process that share a node: they lose it together. Only virtual time is exact enough to tell. */
export function* sharedLosses(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  if (!history.run.precision.isVirtual) return;
  const stalls = new Stalls(history);
  const readers = attempts.filter(
    (attempt): attempt is Granted => attempt.grant !== undefined && attempt.asked.mode === 'read',
  );
  const nodes = groupBy(
    readers,
    ({ asked, resource, grant }) => `${asked.actor} ${resource} ${turnOf(grant.token)}`,
  );
  for (const holders of nodes.values()) yield* lostTogether(holders, history, stalls);
}

function* lostTogether(
  holders: readonly Granted[],
  history: RunHistory,
  stalls: Stalls,
): Generator<Violation> {
  const [first] = holders
    .map((holder) => ({ holder, at: nodeLostAt(holder) }))
    .filter((lost): lost is { holder: Granted; at: bigint } => lost.at !== undefined)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  if (first === undefined) return;
  for (const other of holders) {
    const endedAt = endOf(other) ?? history.run.endedAt;
    if (other.grant.at >= first.at || endedAt <= first.at) continue;
    const stalledMs = stalls.duration(other.asked.actor, first.at, endedAt);
    if (milliseconds(endedAt - first.at) <= IN_A_ROW_MS + stalledMs) continue;
    const sentence =
      `${first.holder.name} was told at ${moment(first.at, history)} that its process had lost '${other.resource}', and ` +
      `${other.name}, which held it too, only at ${moment(endedAt, history)}`;
    const names = [first.holder.name, other.name];
    yield { invariant: 'S1', sentence, at: endedAt, attempts: names, processes: [other.process] };
  }
}

function nodeLostAt(holder: Granted): bigint | undefined {
  return eventsOf(holder, 'emitted').find(
    ({ event, detail }) => event === 'lost' && (detail === 'session' || detail === 'deleted'),
  )?.at;
}

/** Of the hold, of its work, or of its process. */
function endOf(holder: Granted): bigint | undefined {
  const emitted = eventsOf(holder, 'emitted').filter(
    ({ event, at }) => ENDS_OF_HOLDS.has(event) && at >= holder.grant.at,
  );
  const ends = [...emitted, ...eventsOf(holder, 'releasing')].map(({ at }) => at);
  return earliest(...ends, holder.incarnation?.to);
}

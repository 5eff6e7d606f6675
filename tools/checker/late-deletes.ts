import type { FaultRecord } from '../history/fault-record.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, isLoss, type Attempt } from './attempt.js';
import { earliest } from './intervals.js';
import { haveSameTurn } from './turns.js';

/**
 * An operator who deletes the node of a lock without a queue may make its holder delete that of the next one. That can
 * happen only if the holder releases the lock before it knows of the deletion, and has not lost its connection until then:
 * after a lost connection, it looks first. The faults that cannot have this effect no longer name their resource.
 */
export function withPossibleLateDeletes(history: RunHistory, attempts: readonly Attempt[]): RunHistory {
  if (!history.run.precision.isVirtual) return history;
  const faults = history.faults.map((fault) => {
    const { resource, ...others } = fault;
    return resource === undefined || mayBeLate(fault, attempts, history) ? fault : others;
  });
  return { ...history, faults };
}

function mayBeLate(
  { token, resource, from }: FaultRecord,
  attempts: readonly Attempt[],
  history: RunHistory,
): boolean {
  if (token === undefined) return true;
  // Servers that lose their data give the same tokens again.
  const candidates = attempts.filter((one) => one.resource === resource && one.asked.at <= from);
  const holders = candidates.filter(({ grant }) => grant !== undefined && haveSameTurn(grant.token, token));
  const wasTold = holders.some((holder) =>
    eventsOf(holder, 'emitted').some(({ event, detail }) => event === 'lost' && detail === 'deleted'),
  );
  const wasAway = holders.some((holder) => {
    const at = gaveUpAt(holder);
    return at !== undefined && at > from && !wasConnected(holder, from, at, history);
  });
  // Then its process may have deleted its node before, and the operator has deleted the next one.
  const hadGivenUp = holders.every((holder) => {
    const at = gaveUpAt(holder);
    return at !== undefined && at <= from;
  });
  return hadGivenUp || (!wasTold && !wasAway);
}

/** Undefined if it never did. */
function gaveUpAt(holder: Attempt): bigint | undefined {
  const [releasing] = eventsOf(holder, 'releasing');
  const lost = eventsOf(holder, 'emitted').find(isLoss);
  return earliest(releasing?.at, lost?.at);
}

/**
 * As far as its process knew: of several sessions, that of the lock may have been connected for longer. A process without contact
 * at `from` may have looked before the deletion all the same, on a connection that counts as contact only when slow servers have
 * committed a heartbeat.
 */
function wasConnected(
  { asked: { actor }, incarnation }: Attempt,
  from: bigint,
  to: bigint,
  { events }: RunHistory,
): boolean {
  if (incarnation?.hasOneSession !== true) return true;
  return eventsOf({ events }, 'connection')
    .filter((event) => event.actor === actor && event.at > from && event.at <= to)
    .every(({ state }) => state === 'ready' || state === 'resumed');
}

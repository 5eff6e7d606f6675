import { groupBy } from '../history/group-by.js';
import { moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, hasQueue, isShared, sharesPlace, type Attempt } from './attempt.js';
import { Health, sessionMs } from './health.js';
import { names } from './outside-ends.js';
import type { Violation } from './violation.js';

/** Events after which an attempt is not in its place any more. */
const LEAVES = new Set(['released', 'lost', 'ttlExpired', 'aborted', 'failed']);

/** L1: an attempt does not wait if there are as many waiters before it as its `maxWaiters`. */
export function* fullQueues(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const health = new Health(history);
  const queues = groupBy(attempts.filter(hasOwnPlace), ({ resource }) => resource);
  for (const attempt of attempts.filter(hasOwnPlace)) {
    const { name, process, resource, asked } = attempt;
    const [waiting] = eventsOf(attempt, 'emitted').filter(({ event }) => event === 'waiting');
    // Who has lost its place may always queue again.
    if (asked.maxWaiters === undefined || waiting === undefined || waiting.requeued === true) continue;
    const ahead = (queues.get(resource) ?? []).filter((other) => isAhead(other, attempt, waiting.at));
    // Nested calls share a place. The first one has the lock, or may have it, and not know.
    const waiters = new Set(ahead.map(({ root }) => root)).size - 1;
    if (waiters < asked.maxWaiters) continue;
    if (!ahead.every((other) => keepsPlace(other, waiting.at, history, health))) continue;
    const sentence =
      `${name} waited for '${resource}' at ${moment(waiting.at, history)} behind ${waiters} waiters or more, ` +
      `with maxWaiters ${asked.maxWaiters}`;
    yield { invariant: 'L1', sentence, at: waiting.at, attempts: [name], processes: [process] };
  }
}

/** Callers that share places are counted by the processes that know of them. */
function hasOwnPlace(attempt: Attempt): boolean {
  return hasQueue(attempt) && !sharesPlace(attempt) && attempt.incarnation?.foreign !== true;
}

/** It was in the queue before the attempt asked, and is there still. Of those who exclude everybody, one at most has the lock. */
function isAhead(other: Attempt, { asked }: Attempt, at: bigint): boolean {
  const joinedBy = joinedAt(other);
  if (isShared(other) || joinedBy === undefined || joinedBy >= asked.at) return false;
  const left = other.events.find(
    (event) =>
      event.what === 'ended' ||
      event.what === 'releasing' ||
      (event.what === 'emitted' && event.at > joinedBy && LEAVES.has(event.event)),
  );
  const until = left?.at ?? other.incarnation?.to;
  return until !== undefined && until > at;
}

/** At the latest. */
function joinedAt({ queuedAt, grant, call }: Attempt): bigint | undefined {
  return queuedAt ?? (call === undefined ? grant?.at : undefined);
}

/** Its node is not deleted, and its session lasts. */
function keepsPlace(attempt: Attempt, at: bigint, { run, faults }: RunHistory, health: Health): boolean {
  const { process, resource, incarnation } = attempt;
  const joinedBy = joinedAt(attempt) ?? at;
  const since = joinedBy - nanoseconds(sessionMs(incarnation, run));
  const isDeleted = faults.some((fault) => {
    if (!fault.struck || fault.from > at || fault.to < joinedBy) return false;
    if (fault.kind === 'dataLoss') return true;
    return fault.kind === 'contenderDeletion' && (names(fault, attempt) || fault.resource === resource);
  });
  return !isDeleted && health.ofProcess(process, since, at);
}

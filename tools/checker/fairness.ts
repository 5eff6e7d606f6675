import type { ProcessEvent, ProcessEventOf } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';
import { groupBy } from '../history/group-by.js';
import { moment, nanoseconds } from '../history/moments.js';
import { actorOf } from '../history/names.js';
import { eventsOf, exclude, hasQueue, sharesPlace, type Attempt } from './attempt.js';
import { comparableGrants, type Granted } from './comparable-grants.js';
import { Health, longestSession, sessionMs } from './health.js';
import { grantReportedAfterOutsideEnd } from './outside-ends.js';
import { haveOneQueue, SharedPlaces } from './shared-places.js';
import { haveSameTurn, isFirstOfTurn, turnOf } from './turns.js';
import type { Violation } from './violation.js';

/** A waiter looks so often whether one whose node it may not read has left: another one may look before, ms. */
const PERMIT_MS = 1_200;

/**
 * F1: no attempt is granted a resource before an attempt that was already in its queue when it asked, and kept its place,
 * unless both read, or the lock has no queue.
 *
 * S2 requires the same of the contenders' znodes, whose czxids are the tokens; this check does not depend on tokens.
 */
export function* fairness(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const newSessions = groupBy(history.events.filter(isOfSessions), ({ actor }) => actor);
  const sharedPlaces = new SharedPlaces(attempts, history);
  const health = new Health(history);
  const keptPlace = (attempt: Granted): boolean => {
    return (
      attempt.grant.held &&
      !grantReportedAfterOutsideEnd(attempt, history) &&
      eventsOf(attempt, 'emitted').every(({ requeued }) => requeued !== true) &&
      keptSession(attempt, newSessions.get(actorOf(attempt.name)) ?? []) &&
      !sharedPlaces.mayHaveBeenDeleted(attempt) &&
      !mayHaveBeenDeletedWithoutName(attempt, history)
    );
  };

  for (const granted of comparableGrants(attempts.filter(hasQueue), history)) {
    // A nested call needs no place in the queue.
    const queued = granted.filter(({ name, root }) => name === root);
    const inOrder = queued.sort((a, b) => (a.grant.at < b.grant.at ? -1 : 1));
    for (const [attempt, latecomers] of overtakings(inOrder, history)) {
      if (!keptPlace(attempt)) continue;
      const latecomer = latecomers.find((one) => isUnfair(one, attempt, inOrder, history, health));
      if (latecomer !== undefined) yield overtaken(attempt, latecomer, history);
    }
  }
}

function isOfSessions(event: ProcessEvent): event is ProcessEventOf<'connection'> {
  return event.what === 'connection' && (event.state === 'sessionExpired' || event.state === 'ready');
}

/**
 * Its service was ready when the attempt joined the queue, and stayed so. A service of several ensembles is not ready before it
 * has a session with each of them, and does not report before that that one has expired.
 */
function keptSession(
  { queuedAt, grant, incarnation }: Granted,
  events: readonly ProcessEventOf<'connection'>[],
): boolean {
  const last = events.findLast(({ at }) => at < grant.at);
  if (last === undefined) return incarnation?.hasOneSession !== false;
  return last.state === 'ready' && last.at <= queuedAt!;
}

/** A request for release has replaced the record of the contender, which names its attempt, before an operator deleted it. */
function mayHaveBeenDeletedWithoutName({ queuedAt, grant }: Granted, { faults }: RunHistory): boolean {
  return faults.some(
    ({ kind, struck, attempt, from }) =>
      kind === 'contenderDeletion' && struck && attempt === undefined && from > queuedAt! && from < grant.at,
  );
}

/** Each attempt with those that asked when it was in the queue, and were granted the lock before it. */
function* overtakings(
  inOrder: readonly Granted[],
  history: RunHistory,
): Generator<[attempt: Granted, latecomers: Granted[]]> {
  for (const [index, attempt] of inOrder.entries()) {
    const { queuedAt } = attempt;
    if (queuedAt === undefined) continue;
    const latecomers = inOrder
      .slice(0, index)
      .filter((other) => other.asked.at > queuedAt && mayNotBeFirst(other, attempt, history))
      .filter((other) => !hasTakenOver(other));
    if (latecomers.length > 0) yield [attempt, latecomers];
  }
}

/** Only virtual time shows the order of permits. */
function mayNotBeFirst(other: Granted, attempt: Granted, { run: { precision } }: RunHistory): boolean {
  if (exclude(other, attempt)) return true;
  const isOfPermits = other.asked.permits !== undefined && attempt.asked.permits !== undefined;
  const atOnce = nanoseconds(PERMIT_MS + precision.noise);
  return isOfPermits && precision.isVirtual && attempt.grant.at - other.grant.at > atOnce;
}

/** It has had the lock already, as its owner. */
function hasTakenOver({ asked, grant }: Granted): boolean {
  return asked.failure === 'closed' && !isFirstOfTurn(grant.token);
}

/**
 * Processes whose callers share a place in the queue have turns. Between two of them, the callers of one turn may be later,
 * but of those who ask when the process must know that another one waits no more than its `handOver`. Between one such process and another kind,
 * the tokens alone show the order of the places.
 */
function isUnfair(
  latecomer: Granted,
  attempt: Granted,
  inOrder: readonly Granted[],
  history: RunHistory,
  health: Health,
): boolean {
  if (!exclude(latecomer, attempt)) return isUndisturbed(attempt, history, health);
  if (haveOneQueue(latecomer, attempt)) return true;
  const [shared, otherShared] = [sharesPlace(latecomer), sharesPlace(attempt)];
  if (shared !== otherShared) return false;
  if (!shared) return true;
  // A process without a connection has no place in the queue when its turn is over.
  const [since, until] = [attempt.queuedAt!, attempt.grant.at];
  if (!health.ofServers(since, until) || !health.ofProcess(attempt.process, since, until)) return false;
  const before = inOrder.filter((one) => haveOneQueue(one, latecomer) && one.grant.at < attempt.grant.at);
  const later = before.filter(({ asked }) => asked.at > attempt.queuedAt!);
  const { handOver = 0 } = latecomer.incarnation ?? {};
  // The next place may be ahead of that of the attempt, if the place before that one served others of its process.
  const [handedOver = [], next, more] = [...groupBy(later, ({ grant }) => turnOf(grant.token)).values()];
  if (more !== undefined || (next !== undefined && handedOver.length > handOver)) return true;
  const turn = before.filter(({ grant }) => haveSameTurn(grant.token, latecomer.grant.token));
  const hadItsTurn = turn[0] !== undefined && turn[0].grant.at <= attempt.queuedAt!;
  const handOvers = turn.filter((one) => mustHaveKnown(one, attempt, history, health)).length;
  return hadItsTurn && handOvers > handOver;
}

/** It had every chance to know that it has a permit. */
function isUndisturbed({ queuedAt, grant, process }: Granted, history: RunHistory, health: Health): boolean {
  const since = queuedAt! - longestSession(history);
  return health.ofServers(since, grant.at) && health.ofProcess(process, since, grant.at);
}

/** A watch tells a process that another one has queued behind it. */
function mustHaveKnown(
  { asked, grant, process, incarnation }: Granted,
  { queuedAt = 0n }: Granted,
  { run }: RunHistory,
  health: Health,
): boolean {
  const { deletionKnownWithin: notice } = run.precision;
  if (notice === undefined || asked.at <= queuedAt + nanoseconds(notice)) return false;
  const since = queuedAt - nanoseconds(sessionMs(incarnation, run));
  return health.ofProcess(process, since, grant.at);
}

function overtaken(attempt: Granted, latecomer: Granted, history: RunHistory): Violation {
  return {
    invariant: 'F1',
    sentence:
      `${latecomer.name} asked for '${attempt.resource}' at ${moment(latecomer.asked.at, history)}, when ` +
      `${attempt.name} had been in its queue since ${moment(attempt.queuedAt!, history)}, and was granted it first: ` +
      `at ${moment(latecomer.grant.at, history)} and not after ${moment(attempt.grant.at, history)}`,
    at: latecomer.grant.at,
    attempts: [attempt.name, latecomer.name],
    processes: [attempt.process, latecomer.process],
  };
}

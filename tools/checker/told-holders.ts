import { groupBy } from '../history/group-by.js';
import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { ProcessEventOf } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, exclude, hasQueue, sharesPlace, type Attempt } from './attempt.js';
import { Health, longestSession } from './health.js';
import { later } from './intervals.js';
import { mayBeOverlooked } from './may-be-overlooked.js';
import { mayHaveLeft } from './outside-ends.js';
import { lockRequests, type LockRequest } from './lock-requests.js';
import { turnOf } from './turns.js';
import type { Violation } from './violation.js';

/** A holder watches its node so long after it was granted the lock, ms. */
const WATCHED_AFTER_MS = 250;
/** The notification, and the request that reads what has changed, ms. */
const TOLD_WITHIN_MS = 100;

/**
 * L1: somebody asks for a lock. Its holder is told, soon if nothing is disturbed, once for each request, and only of requests
 * that were made while it, and not somebody else, could be the holder.
 */
export function* toldHolders(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  if (!history.run.precision.isVirtual) return;
  const all = lockRequests(history);
  const asked = all.filter(({ kind }) => kind === 'release');
  const requests = groupBy(asked, ({ resource }) => resource);
  for (const [resource, own] of groupBy(attempts, (attempt) => attempt.resource)) {
    const ofResource = requests.get(resource) ?? [];
    const askable = own.filter((attempt) => !mayBeOverlooked(attempt, all));
    yield* untold(askable, ofResource, history);
    const changes = all.filter((one) => one.resource === resource && one.permits !== undefined);
    for (const ofPlace of groupBy(own, placeOf).values())
      yield* toldTooOften(ofPlace, own, { requests: ofResource, changes }, history);
  }
}

function* untold(
  attempts: readonly Attempt[],
  requests: readonly LockRequest[],
  history: RunHistory,
): Generator<Violation> {
  const health = new Health(history);
  const holders = attempts.filter(
    (attempt) => attempt.incarnation?.foreign !== true && hasQueue(attempt) && !mayHaveLeft(attempt, history),
  );
  for (const request of requests.filter(({ outcome }) => outcome === 'stored')) {
    for (const holder of holders) {
      const { valid, grant, name, process, resource } = holder;
      if (valid === undefined || grant === undefined || valid.from >= request.from) continue;
      const within = nanoseconds(TOLD_WITHIN_MS + history.run.precision.noise);
      const until = later(request.to, grant.at + nanoseconds(WATCHED_AFTER_MS)) + within;
      const since = request.from - longestSession(history);
      if (valid.to <= until || !health.ofServers(since, until) || !health.ofProcess(process, since, until))
        continue;
      if (requestsTold(holder).some(({ at }) => at >= request.from && at <= until)) continue;
      const ms = Math.round(milliseconds(until - request.to));
      const sentence = `${name} held '${resource}', and was not told of ${request.name} within ${ms} ms`;
      yield { invariant: 'L1', sentence, at: until, attempts: [name], processes: [process, request.process] };
    }
  }
}

/** @param ofPlace those that have had one node in turn, or at once if they are readers */
function* toldTooOften(
  ofPlace: readonly Attempt[],
  attempts: readonly Attempt[],
  { requests, changes }: RequestsOfResource,
  history: RunHistory,
): Generator<Violation> {
  const told = ofPlace
    .flatMap((attempt) => requestsTold(attempt).map(({ at }) => ({ attempt, at })))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const counts = new Map<Attempt, number>();
  // What a lock was told at an earlier place still counts.
  const asked = new Set<LockRequest>();
  for (const { attempt, at } of told) {
    counts.set(attempt, (counts.get(attempt) ?? 0) + 1);
    for (const request of requests)
      if (request.from <= at && mayBeFor({ attempt, at, changes }, request, attempts, history))
        asked.add(request);
    const due = [...asked].reduce((sum, { most }) => sum + most, 0);
    const times = timesTold(counts);
    if (times <= due) continue;
    const sentence =
      due === 0
        ? `${attempt.name} was told at ${moment(at, history)} to release '${attempt.resource}', which nobody had asked it for`
        : `${attempt.name} was told at ${moment(at, history)} to release '${attempt.resource}', for the ${times}th time, after ${due} requests`;
    const { name, process } = attempt;
    yield { invariant: 'L1', sentence, at, attempts: [name], processes: [process] };
    return;
  }
}

/** One request is told to all readers of a node, and to a holder and all calls nested in it; otherwise to one caller. */
function timesTold(counts: ReadonlyMap<Attempt, number>): number {
  const ofRoots = [...groupBy([...counts], ([{ root }]) => root).values()].map((ofRoot) =>
    Math.max(...ofRoot.map(([, count]) => count)),
  );
  const [[first] = []] = [...counts];
  return first?.asked.mode === 'read' ? Math.max(...ofRoots) : ofRoots.reduce((a, b) => a + b, 0);
}

interface RequestsOfResource {
  /** Of the release. */
  readonly requests: readonly LockRequest[];
  /** Of the number of permits. */
  readonly changes: readonly LockRequest[];
}

/** The attempt is told at that time. */
interface Told extends Pick<RequestsOfResource, 'changes'> {
  readonly attempt: Attempt;
  readonly at: bigint;
}

/** Who asks reads who the holders are, and a node is never that of another holder, but for the callers that share it. */
function mayBeFor(
  { attempt, at, changes }: Told,
  { from, to }: LockRequest,
  attempts: readonly Attempt[],
  history: RunHistory,
): boolean {
  const places = attempts.filter((other) => mayHaveOnePlace(other, attempt));
  if (places.every((other) => placeFrom(other, at, changes) > to)) return false;
  return !attempts.some((other) => {
    const { valid, incarnation } = other;
    // Clients of other libraries may change the name of their node while they hold the lock.
    if (valid === undefined || incarnation?.foreign === true || valid.from >= from || valid.to <= to)
      return false;
    if (!exclude(other, attempt) || mayHaveOnePlace(other, attempt)) return false;
    return !mayHaveLeft(other, history) && !mayHaveLeft(attempt, history);
  });
}

/**
 * One of several locks may be lost, and then have a later place than it had at that time. And a caller that
 * was entitled to a permit says that it waits again when there are fewer, although it keeps its place.
 */
function placeFrom(attempt: Attempt, at: bigint, changes: readonly LockRequest[]): bigint {
  const { placeFrom: from, asked } = attempt;
  const hadPermit = changes.some((change) => change.to >= asked.at && change.from <= from);
  return from >= at || hadPermit ? asked.at : from;
}

/** The node of an attempt. */
function placeOf(attempt: Attempt): string {
  const { root, asked, mode, grant } = attempt;
  if (grant === undefined || !sharesPlace(attempt)) return root;
  return `${asked.actor} ${mode} ${turnOf(grant.token)}`;
}

/** Of one of several locks, the place is not known before all of them are granted. */
export function mayHaveOnePlace(a: Attempt, b: Attempt): boolean {
  if (placeOf(a) === placeOf(b)) return true;
  const isUnknown = [a, b].some((attempt) => attempt.grant === undefined && sharesPlace(attempt));
  return isUnknown && a.asked.actor === b.asked.actor && a.mode === b.mode;
}

function requestsTold(attempt: Attempt): ProcessEventOf<'emitted'>[] {
  return eventsOf(attempt, 'emitted').filter(({ event }) => event === 'revokeRequested');
}

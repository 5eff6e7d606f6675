import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { hasQueue, type Attempt } from './attempt.js';
import { Health, longestSession } from './health.js';
import { mayBeOverlooked } from './may-be-overlooked.js';
import { mayHaveLeft } from './outside-ends.js';
import { lockRequests, type LockRequest } from './lock-requests.js';
import { Silences } from './silences.js';
import type { Violation } from './violation.js';

/** Four round trips, ms. */
const ANSWERED_WITHIN_MS = 500;

/**
 * L1: a request to release a lock, to change its number of permits, or to inspect it, returns: at once if nothing is disturbed,
 * and not as if nobody had the lock if somebody had it all the time.
 */
export function* requestAnswers(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  if (!history.run.precision.isVirtual) return;
  const health = new Health(history);
  const silences = new Silences(history);
  const requests = lockRequests(history);
  for (const request of requests) {
    const { name, resource, outcome, kind, from, to } = request;
    const of = attempts.filter((attempt) => attempt.resource === resource);
    const what = `${name}, a request to ${verbOf(request)} '${resource}',`;
    const ms = Math.round(milliseconds(to - from));
    if (outcome === undefined && request.incarnation?.end === 'closed')
      yield violation(request, `${what} has not returned`);
    if (outcome === 'untyped') yield violation(request, `${what} ended with an error that is not documented`);
    if (outcome === 'refused' && of.every(hasQueue))
      yield violation(request, `${what} was refused, although that lock has a queue`);
    if (outcome === 'closed' && request.incarnation?.closingSince === undefined && !isAtEnd(request, history))
      yield violation(request, `${what} ended as if its service was closed`);
    const isRefused = outcome === 'unavailable' && !of.some((attempt) => mayBePrivate(attempt, request));
    if ((isRefused || ms > ANSWERED_WITHIN_MS) && isUndisturbed(request, history, health, silences))
      yield violation(
        request,
        `${what} ended after ${ms} ms with '${outcome}', although nothing was disturbed`,
      );
    const isHeld = (attempt: Attempt): boolean =>
      holdsThroughout(attempt, request, history) &&
      (kind === 'permits' || !mayBeOverlooked(attempt, requests));
    // What an inspection shows is judged elsewhere: a server may lag behind.
    const holder = outcome === 'nobody' && kind !== 'inspection' ? of.find(isHeld) : undefined;
    if (holder !== undefined) {
      const since = moment(holder.valid!.from, history);
      yield violation(
        request,
        `${what} found no holder, although ${holder.name} held it since ${since}`,
        holder,
      );
    }
  }
}

/** All processes are closed at the end of a run. */
function isAtEnd({ to }: LockRequest, { run }: RunHistory): boolean {
  return to >= run.finishAt;
}

function verbOf({ kind, permits }: LockRequest): string {
  if (kind === 'permits') return `give ${permits} permits to`;
  return kind === 'release' ? 'release' : 'inspect';
}

function holdsThroughout(attempt: Attempt, { from, to, permits }: LockRequest, history: RunHistory): boolean {
  const { valid, incarnation } = attempt;
  if (valid === undefined || incarnation?.foreign === true || mayHaveLeft(attempt, history)) return false;
  // Only a semaphore has permits.
  if (permits !== undefined && attempt.asked.permits === undefined) return false;
  return valid.from < from && valid.to > to && hasQueue(attempt);
}

/** The node of the holder may be one that nobody else may write. */
function mayBePrivate({ asked, incarnation }: Attempt, { from, to, permits }: LockRequest): boolean {
  return permits === undefined && incarnation?.isPrivate === true && asked.at <= to && incarnation.to >= from;
}

/** Without a session with each of its ensembles, a request has to wait. */
function isUndisturbed(
  { actor, process, from }: LockRequest,
  history: RunHistory,
  health: Health,
  silences: Silences,
): boolean {
  const since = from - longestSession(history);
  const until = from + nanoseconds(ANSWERED_WITHIN_MS);
  return (
    health.ofServers(since, until) &&
    health.ofProcess(process, since, until) &&
    silences.of(actor).every((silence) => silence.to < since || silence.from > until)
  );
}

function violation({ process, to }: LockRequest, sentence: string, holder?: Attempt): Violation {
  return {
    invariant: 'L1',
    sentence,
    at: to,
    attempts: holder === undefined ? [] : [holder.name],
    processes: [process, ...(holder === undefined ? [] : [holder.process])],
  };
}

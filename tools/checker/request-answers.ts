import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { hasQueue, type Attempt } from './attempt.js';
import { Health, longestSession } from './health.js';
import { mayHaveLeft } from './outside-ends.js';
import { releaseRequests, type ReleaseRequest } from './release-requests.js';
import type { Violation } from './violation.js';

/** Four round trips, ms. */
const ANSWERED_WITHIN_MS = 500;

/**
 * L1: a request to release a lock returns: at once if nothing is disturbed, and not as if nobody had the lock if somebody had it
 * all the time.
 */
export function* requestAnswers(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  if (!history.run.precision.isVirtual) return;
  const health = new Health(history);
  for (const request of releaseRequests(history)) {
    const { name, resource, outcome, from, to } = request;
    const of = attempts.filter((attempt) => attempt.resource === resource);
    const what = `${name}, a request to release '${resource}',`;
    const ms = Math.round(milliseconds(to - from));
    if (outcome === undefined && request.incarnation?.end === 'closed')
      yield violation(request, `${what} has not returned`);
    if (outcome === 'untyped') yield violation(request, `${what} ended with an error that is not documented`);
    if (outcome === 'refused' && of.some(hasQueue))
      yield violation(request, `${what} was refused, although that lock has a queue`);
    if (outcome === 'closed' && request.incarnation?.closingSince === undefined && !isAtEnd(request, history))
      yield violation(request, `${what} ended as if its service was closed`);
    if (isUndisturbed(request, history, health) && (outcome === 'unavailable' || ms > ANSWERED_WITHIN_MS))
      yield violation(
        request,
        `${what} ended after ${ms} ms with '${outcome}', although nothing was disturbed`,
      );
    const holder =
      outcome === 'nobody' ? of.find((attempt) => holdsThroughout(attempt, request, history)) : undefined;
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
function isAtEnd({ to }: ReleaseRequest, { run }: RunHistory): boolean {
  return to >= run.finishAt;
}

function holdsThroughout(attempt: Attempt, { from, to }: ReleaseRequest, history: RunHistory): boolean {
  const { valid, incarnation } = attempt;
  if (valid === undefined || incarnation?.foreign === true || mayHaveLeft(attempt, history)) return false;
  return valid.from < from && valid.to > to && hasQueue(attempt);
}

function isUndisturbed({ process, from }: ReleaseRequest, history: RunHistory, health: Health): boolean {
  const since = from - longestSession(history);
  const until = from + nanoseconds(ANSWERED_WITHIN_MS);
  // A session for the request has to begin first.
  return (
    health.ofServers(since, until) &&
    health.ofProcess(process, since, until) &&
    since >= history.run.startedAt
  );
}

function violation({ name, process, to }: ReleaseRequest, sentence: string, holder?: Attempt): Violation {
  return {
    invariant: 'L1',
    sentence,
    at: to,
    attempts: holder === undefined ? [] : [holder.name],
    processes: [process, ...(holder === undefined ? [] : [holder.process])],
  };
}

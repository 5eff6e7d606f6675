import { groupBy } from '../history/group-by.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, exclude, isShared, lossOf, sharesPlace, whenOver, type Attempt } from './attempt.js';
import { Calls } from './calls.js';
import { PermitNumbers } from './permit-numbers.js';
import { common, later, whenAtLeast, type Interval } from './intervals.js';

/** When attempts could not be granted what they asked for, because others had it. */
export class TakenTimes {
  readonly #calls: Calls;
  readonly #rivals: ReadonlyMap<string, readonly Attempt[]>;
  readonly #permits: PermitNumbers;

  constructor(
    attempts: readonly Attempt[],
    private readonly history: RunHistory,
  ) {
    this.#calls = new Calls(attempts);
    this.#rivals = groupBy(attempts, ({ resource }) => resource);
    this.#permits = new PermitNumbers(history);
  }

  /** A call for several locks waits for any of them. */
  of(attempt: Attempt): Interval[] {
    return this.#calls.membersOf(attempt).flatMap((member) => this.#ofOne(member));
  }

  /** All who have asked for the same locks. */
  rivalsOf(attempt: Attempt): Attempt[] {
    return this.#calls
      .membersOf(attempt)
      .flatMap((member) => (this.#rivals.get(member.resource) ?? []).filter((other) => other !== member));
  }

  /**
   * Whoever shares the lock waits for nobody of its mode, unless all permits are taken, but for anybody else who may be ahead in
   * the queue, and who waits for all of them.
   */
  #ofOne(attempt: Attempt): Interval[] {
    const rivals = (this.#rivals.get(attempt.resource) ?? []).filter((other) => other !== attempt);
    if (!isShared(attempt)) return rivals.flatMap((rival) => possession(rival, this.history));
    const others = rivals.filter((rival) => exclude(rival, attempt));
    const presences = others.flatMap((other) =>
      isBehind(other, attempt) ? possession(other, this.history) : [presence(other, this.history)],
    );
    if (attempt.asked.permits === undefined) return presences;
    const peers = rivals.filter((rival) => !exclude(rival, attempt));
    const taken = peers.flatMap((peer) => possession(peer, this.history));
    const full = this.#permits
      .leastNumbers(attempt, this.history)
      .flatMap((time) => whenAtLeast(time.permits, taken).flatMap((one) => common(one, time)));
    return [...full, ...presences];
  }
}

/**
 * Whether `other` has asked when the attempt was in the queue, and had not lost its place. Callers that share a place may have
 * one that is older than they are.
 */
function isBehind(other: Attempt, attempt: Attempt): boolean {
  const { queuedAt, call } = attempt;
  if (queuedAt === undefined || call !== undefined || sharesPlace(attempt) || sharesPlace(other))
    return false;
  const isRequeued = eventsOf(attempt, 'emitted').some(({ requeued }) => requeued === true);
  return other.asked.at > queuedAt && !isRequeued;
}

/** From the call until others can be granted the lock. */
function presence(attempt: Attempt, history: RunHistory): Interval {
  const { asked, end, incarnation } = attempt;
  const [held] = possession(attempt, history);
  return { from: asked.at, to: held?.to ?? end?.at ?? incarnation?.to ?? history.run.endedAt };
}

/** From the grant until others can be granted the lock; none if it did not have the lock. */
export function possession(attempt: Attempt, { run, freed }: RunHistory): Interval[] {
  const { grant, call, resource, takeover, end, incarnation, failsClosed } = attempt;
  // What fails closed stays taken after a failure. Whoever has taken it over may have given it back, and have no grant.
  const byPerson = freed.filter((lock) => lock.resource === resource && lock.attempt === attempt.name);
  const granted = call === undefined ? grant?.at : firstTaken(attempt);
  // Nobody may have recorded that it was taken before: its process was killed first.
  const from = granted ?? (byPerson.length > 0 ? attempt.asked.at : undefined);
  if (from === undefined) return [];
  // If its process was killed before the call returned, nobody records when its owner takes the lock over.
  const wasKilled = end === undefined && incarnation?.end === 'killed';
  // A service that has closed cannot free the lock any more when the work is over.
  const wasShutDown =
    lossOf(attempt)?.detail === 'shutdown' && byPerson.length === 0 && takeover === undefined;
  const isLeft = failsClosed && (wasKilled || wasShutDown);
  const freedAt = [
    ...byPerson.map(({ to = run.endedAt }) => to),
    takeover?.to ?? from,
    ...(isLeft ? [run.endedAt] : []),
  ];
  return [{ from, to: [from, whenOver(attempt, run), ...freedAt].reduce(later) }];
}

/** One of several locks may be lost and taken again before the call returns. */
function firstTaken(attempt: Attempt): bigint | undefined {
  const acquired = eventsOf(attempt, 'emitted').find(({ event }) => event === 'acquired');
  return acquired?.at ?? attempt.grant?.at;
}

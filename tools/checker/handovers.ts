import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, hasQueue, whenOver, type Attempt } from './attempt.js';
import { Health, longestSession } from './health.js';
import { gapsBetween, later, startsIn, type Interval } from './intervals.js';
import { Silences } from './silences.js';
import { TakenTimes } from './taken-times.js';
import type { Violation } from './violation.js';

/** A notification, a request that several waiters repeat, and what they do in between, ms. */
const HAND_OVER_MS = 100;
/** From the start of a run until all servers of an ensemble serve clients, ms. */
const SERVERS_START_MS = 3_000;
/** Nobody is notified of a node that he may not read: a waiter looks at it so often, ms. */
const LOOK_MS = 1_050;

/**
 * L1: while nothing is disturbed, waiters learn at once that a lock is free. Only virtual time is exact enough to judge that.
 */
export function* handovers(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  if (!history.run.precision.isVirtual) return;
  const idleTimes = new IdleTimes(attempts, history);
  for (const attempt of attempts) {
    const { name, process, resource, asked } = attempt;
    const idle = idleTimes.of(attempt);
    if (idle === undefined) continue;
    const what = asked.permits === undefined ? 'which nobody held' : 'of which a permit was free';
    const sentence =
      `${name} waited for '${resource}', ${what} for ${Math.round(milliseconds(idle.to - idle.from))} ms ` +
      `from ${moment(idle.from, history)} on, although nothing was disturbed`;
    yield {
      invariant: 'L1',
      sentence,
      at: idle.from + idleTimes.longest,
      attempts: [name],
      processes: [process],
    };
  }
}

/** When attempts waited for a lock that they could have had. */
class IdleTimes {
  /** A hand-over takes no longer, ns. */
  readonly longest: bigint;
  readonly #health: Health;
  readonly #takenTimes: TakenTimes;
  readonly #silences: Silences;

  constructor(
    attempts: readonly Attempt[],
    private readonly history: RunHistory,
  ) {
    this.longest = nanoseconds(HAND_OVER_MS + history.run.precision.noise);
    this.#health = new Health(history);
    this.#takenTimes = new TakenTimes(attempts, history);
    this.#silences = new Silences(history);
  }

  /** The first time that is too long, while nothing was disturbed. */
  of(attempt: Attempt): Interval | undefined {
    const waiting = this.#waitOf(attempt);
    if (waiting === undefined || waiting.to - waiting.from <= this.longest) return undefined;
    // Without sessions with all its ensembles, it may wait for one in its local queue.
    const silences = this.#silences.of(attempt.asked.actor);
    for (const gap of gapsBetween(waiting, [...this.#takenTimes.of(attempt), ...silences])) {
      // A disturbance may have ended within it.
      for (const idle of startsIn(gap, this.longest)) if (this.#isTooLong(attempt, idle)) return idle;
    }
    return undefined;
  }

  #isTooLong(attempt: Attempt, idle: Interval): boolean {
    const latest = this.#latest(attempt, idle);
    return idle.to > latest && this.#isUndisturbed(attempt, idle.from, latest);
  }

  /** When somebody should have the lock. One whose node nobody else may read may have left before it was free. */
  #latest(attempt: Attempt, idle: Interval): bigint {
    const hidden = this.#takenTimes
      .rivalsOf(attempt)
      .filter(({ asked, incarnation }) => incarnation?.isPrivate === true && asked.at <= idle.to)
      .map(({ incarnation }) => incarnation!.to)
      .map((left) => (left < idle.from ? left : idle.from) + nanoseconds(LOOK_MS));
    return hidden.reduce(later, idle.from) + this.longest;
  }

  /** While it is in the queue. A candidate that has found ZooKeeper unavailable pauses. */
  #waitOf(attempt: Attempt): Interval | undefined {
    const { asked, end, incarnation } = attempt;
    const emitted = eventsOf(attempt, 'emitted');
    const waiting = emitted.findLast(({ event }) => event === 'waiting');
    if (waiting === undefined) return undefined;
    // Without a queue, somebody else may have had the lock for a moment.
    if (incarnation?.foreign === true || !hasQueue(attempt)) return undefined;
    if (asked.verb === 'lead' && emitted.some(({ event }) => event === 'failed')) return undefined;
    return {
      from: waiting.at,
      to: end?.at ?? incarnation?.to ?? this.history.run.endedAt,
    };
  }

  /** Whoever is disturbed may keep a place that it does not use, for as long as its session lasts. */
  #isUndisturbed(attempt: Attempt, from: bigint, until: bigint): boolean {
    const since = from - longestSession(this.history);
    const present = this.#takenTimes
      .rivalsOf(attempt)
      .filter((rival) => rival.asked.at <= until && this.#whenGone(rival) >= since);
    const processes = new Set([attempt, ...present].map(({ process }) => process));
    return (
      !present.some((rival) => this.#mayBeConnecting(rival, from)) &&
      present.every(({ asked }) => this.#hasContact(asked.actor, from, until)) &&
      this.#health.ofServers(since, until) &&
      [...processes].every((process) => this.#health.ofProcess(process, since, until))
    );
  }

  /**
   * When it has left nothing behind. Its process may keep the lock for callers of its own, as long as nobody else wants it. What fails
   * closed outlasts its session, for as long as the process has no contact.
   */
  #whenGone(rival: Attempt): bigint {
    const { run } = this.history;
    if (rival.failsClosed) return run.endedAt;
    return whenOver(rival, run) + nanoseconds(rival.incarnation?.linger ?? 0);
  }

  /** A call for several locks has a place for one of them, and waits for room in another session, whose server only starts. */
  #mayBeConnecting({ call, incarnation }: Attempt, at: bigint): boolean {
    const { startedAt } = this.history.run;
    const isStarting = at - startedAt < nanoseconds(SERVERS_START_MS);
    return isStarting && call !== undefined && incarnation?.hasOneSession === false;
  }

  #hasContact(actor: string, from: bigint, to: bigint): boolean {
    return this.#silences.of(actor).every((silence) => silence.to < from || silence.from > to);
  }
}

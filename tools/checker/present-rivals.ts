import { nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import type { Attempt } from './attempt.js';
import { sessionMs } from './health.js';
import { isByHand } from './liveness.js';
import { possession } from './taken-times.js';

/** A contender may outlive an attempt that did not see its deletion confirmed for so long, ms, if it is not disturbed. */
const IN_FLIGHT_MS = 3_000;
/** The same after a lost connection, besides its session. */
const CLEAN_UP_MS = 20_000;

/** Who else may have had the lock, or a place in its queue, when an attempt looked. */
export class PresentRivals {
  readonly #disturbed: ReadonlySet<string>;
  /** When a process was connected to all ensembles for the first time: before, it does not tell of lost connections. */
  readonly #readyAt = new Map<string, bigint>();

  constructor(
    private readonly attempts: readonly Attempt[],
    private readonly history: RunHistory,
  ) {
    this.#disturbed = new Set(
      history.events.flatMap((event) =>
        event.what === 'connection' && event.state === 'suspended' ? [event.actor] : [],
      ),
    );
    for (const event of history.events) {
      const isFirst =
        event.what === 'connection' && event.state === 'ready' && !this.#readyAt.has(event.actor);
      if (isFirst) this.#readyAt.set(event.actor, event.at);
    }
  }

  of(attempt: Attempt, endedAt: bigint): Attempt[] {
    return this.attempts.filter(
      (other) =>
        other !== attempt &&
        other.resource === attempt.resource &&
        other.asked.at <= endedAt &&
        this.#isThere(other, attempt),
    );
  }

  /** Whether a client of another library may have been among them, which has no attempt. */
  hadForeign({ asked }: Attempt, endedAt: bigint): boolean {
    return this.history.faults.some(
      ({ kind, from, to, struck }) =>
        kind === 'foreign' && struck && from <= endedAt && to + nanoseconds(CLEAN_UP_MS) > asked.at,
    );
  }

  /** What fails closed stays taken when its contender is gone. */
  #isThere(rival: Attempt, found: Attempt): boolean {
    const { at } = found.asked;
    if (this.#leavesBy(rival, found) > at) return true;
    return rival.failsClosed && possession(rival, this.history).some(({ to }) => to > at);
  }

  /** When the contender of the attempt is gone, at the latest, as far as it may be what the other one has found. */
  #leavesBy({ asked, end, events, incarnation }: Attempt, found: Attempt): bigint {
    const { run } = this.history;
    const released = events.find((event) => event.what === 'released');
    const readyAt = this.#readyAt.get(asked.actor);
    const isEarly = released !== undefined && (readyAt === undefined || released.at < readyAt);
    const isDisturbed = isEarly || this.#disturbed.has(asked.actor);
    const { linger = 0 } = incarnation ?? {};
    // A lock that is released within its minHold stays taken. One that nobody wants may linger, but not for its own process.
    const stays = asked.minHold + (asked.actor === found.asked.actor ? 0 : linger);
    // Without a connection, `withLock` returns before its contender is gone.
    const isConfirmed =
      incarnation?.release === 'confirmed' && ((linger === 0 && isByHand(asked)) || !isDisturbed);
    if (released?.outcome === 'kept' && isConfirmed && stays === 0) return released.at;
    const over = released?.at ?? (end?.what === 'ended' ? end.at : (incarnation?.to ?? run.endedAt));
    const exit = incarnation?.end;
    const isSound = !isDisturbed && (exit === 'closed' || exit === 'shutDown');
    const cleanUp = isSound ? IN_FLIGHT_MS : sessionMs(incarnation, run) + CLEAN_UP_MS;
    return over + nanoseconds(stays + cleanUp);
  }
}

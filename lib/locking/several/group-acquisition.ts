import type { Clock } from '../clock.js';
import type { LockLostError } from '../errors/lock-lost.error.js';
import type { Hold } from '../hold.js';
import { LazyAbort } from '../lazy-abort.js';
import type { EventSink } from '../lock-events.js';
import type { ResolvedLockOptions } from '../lock-options.js';
import { HoldGroup } from './hold-group.js';
import { MemberAttempt, type MemberContext, type StartedAcquisition } from './member-attempt.js';
import { MemberEvents } from './member-events.js';
import type { RecentWaits } from './recent-waits.js';

export interface GroupAcquisitionContext {
  readonly clock: Clock;
  readonly events: EventSink;
  readonly recentWaits: RecentWaits;
  /** False if the store that has this lock has not answered lately. */
  inContact(resource: string): boolean;
  /**
   * Begins to acquire one of the locks.
   *
   * @throws LockClosedError
   */
  start(resource: string, context: MemberContext): StartedAcquisition;
}

/**
 * Acquires several locks, all or none (H60). It asks for all of them at once, and where they are free, their nodes
 * leave in one transaction. As soon as one has to be waited for, those after it are given up, and asked for again when
 * it is granted: so it only ever waits while it holds locks that come earlier in the order, which is the same for
 * everybody, and two callers cannot wait for each other. If the last call had to wait for one, or one is in an ensemble without
 * contact, those after it are asked for when it is granted, because they would probably be given up.
 */
export class GroupAcquisition {
  readonly #startedAt: number;
  readonly #events: readonly MemberEvents[];
  readonly #attempts: MemberAttempt[] = [];
  /** A part of the wait has passed in the queue of one of them. */
  #hasWaited = false;
  /** How many of them have been granted or waited for: their queues were not full, and do not refuse them after a loss. */
  #admitted = 0;

  /** @param resources sorted, without duplicates */
  constructor(
    private readonly resources: readonly string[],
    private readonly options: ResolvedLockOptions,
    private readonly context: GroupAcquisitionContext,
  ) {
    const startedAt = context.clock.monotonic();
    this.#startedAt = startedAt;
    this.#events = resources.map((resource) => new MemberEvents(resource, options, context, startedAt));
  }

  /** Starts again if a lock is lost while others are waited for. Throws as `Acquisition.run` does. */
  async run(): Promise<HoldGroup> {
    for (;;) {
      const group = await this.#attemptAll();
      if (group !== undefined) return group;
    }
  }

  /** Undefined if one of the locks was lost before all were granted. */
  async #attemptAll(): Promise<HoldGroup | undefined> {
    const listening: (() => void)[] = [];
    const holds: Hold[] = [];
    const lost = new LazyAbort<LockLostError>();
    lost.onAbort((loss) => {
      for (const attempt of this.#attempts) attempt.withdraw(loss);
    });
    try {
      while (holds.length < this.resources.length) {
        const held = await this.#next(holds.length);
        holds.push(held);
        listening.push(held.onLost((loss) => lost.abort(loss)));
        lost.throwIfAborted();
      }
      for (const held of holds) held.settle();
      lost.throwIfAborted();
      const now = this.context.clock.monotonic();
      for (const held of holds) held.begin(this.options, now);
      return new HoldGroup(holds, this.context.clock);
    } catch (error) {
      const failure = this.#attempts[holds.length]?.failure ?? 'failed';
      this.#giveUp(0);
      if (lost.aborted && error === lost.reason) return undefined;
      for (const events of this.#events) events.ended(failure, error);
      throw error;
    } finally {
      for (const stop of listening) stop();
    }
  }

  /** Resolves when the lock number `index` is held. Until it is known that it has to be waited for, so may be those after it. */
  async #next(index: number): Promise<Hold> {
    if (this.#attempts.length === index) this.#askFrom(index);
    const attempt = this.#attempts[index]!;
    try {
      const decision = await attempt.decided;
      this.#admitted = Math.max(this.#admitted, index + 1);
      if (decision === 'waiting') this.#waitsFor(index);
      else this.context.recentWaits.granted(this.resources[index]!);
    } finally {
      attempt.tell();
    }
    return attempt.hold;
  }

  #waitsFor(index: number): void {
    this.#hasWaited = true;
    this.context.recentWaits.waited(this.resources[index]!);
    this.#giveUp(index + 1);
  }

  #askFrom(first: number): void {
    for (let index = first; index < this.resources.length; index += 1) {
      this.#attempts.push(this.#attempt(index));
      const resource = this.resources[index]!;
      // Those after it would be held in vain, and kept from others, for as long as it waits.
      if (this.context.recentWaits.has(resource) || !this.context.inContact(resource)) return;
    }
  }

  /** Releases in the reverse order. */
  #giveUp(first: number): void {
    for (const attempt of this.#attempts.splice(first).toReversed()) attempt.giveUp();
  }

  /** Its ttl and its minHold begin when all are granted. */
  #attempt(index: number): MemberAttempt {
    const maxWaiters = index < this.#admitted ? Infinity : this.options.maxWaiters;
    const options = { ...this.options, ttl: 0, minHold: 0, maxWaiters };
    const earlier = { startedAt: this.#startedAt, hasWaited: this.#hasWaited };
    return new MemberAttempt(this.#events[index]!, (events) =>
      this.context.start(this.resources[index]!, { options, events, earlier }),
    );
  }
}

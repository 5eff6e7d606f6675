import type { Clock } from '../clock.js';
import type { LockLostError } from '../errors/lock-lost.error.js';
import type { Hold } from '../hold.js';
import type { EventSink } from '../lock-events.js';
import type { ResolvedLockOptions } from '../lock-options.js';
import { HoldGroup } from './hold-group.js';
import { MemberAttempt, type MemberContext, type StartedAcquisition } from './member-attempt.js';

export interface GroupAcquisitionContext {
  readonly clock: Clock;
  readonly events: EventSink;
  /**
   * Begins to acquire one of the locks.
   *
   * @throws LockClosedError
   */
  start(resource: string, context: MemberContext): StartedAcquisition;
}

/**
 * Acquires several locks, all or none (H60). It asks for all of them at once, and where they are free, their nodes leave in
 * one transaction. As soon as one has to be waited for, those after it are given up, and asked for again when it is granted:
 * so it only ever waits while it holds locks that come earlier in the order, which is the same for everybody, and two
 * callers cannot wait for each other.
 */
export class GroupAcquisition {
  readonly #startedAt: number;
  #attempts: MemberAttempt[] = [];

  /** @param resources sorted, without duplicates */
  constructor(
    private readonly resources: readonly string[],
    private readonly options: ResolvedLockOptions,
    private readonly context: GroupAcquisitionContext,
  ) {
    this.#startedAt = context.clock.monotonic();
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
    const { clock } = this.context;
    const holds: Hold[] = [];
    const losses: LockLostError[] = [];
    this.#attempts = [];
    const stopListening: (() => void)[] = [];
    try {
      while (holds.length < this.resources.length) {
        const granted = await this.#untilOneWaits(holds.length);
        const lost = (loss: LockLostError): void => {
          losses.push(loss);
          for (const attempt of this.#attempts) attempt.leave(loss);
        };
        stopListening.push(...granted.map((held) => held.onLost(lost)));
        holds.push(...granted);
      }
      for (const held of holds) held.throwIfLost();
      for (const held of holds) held.begin(this.options);
      return new HoldGroup(holds, new Date(clock.wall()));
    } catch (error) {
      this.#giveUp(0);
      if (losses.length > 0) return undefined;
      throw error;
    } finally {
      for (const stop of stopListening) stop();
    }
  }

  /** Asks for the locks from number `first` on. Resolves with those before the first that had to be waited for, and with it. */
  async #untilOneWaits(first: number): Promise<Hold[]> {
    for (const resource of this.resources.slice(first)) this.#attempts.push(this.#attempt(resource));
    let next = first;
    for (const attempt of this.#attempts.slice(first)) {
      next += 1;
      if ((await this.#decided(attempt)) === 'granted') continue;
      this.#giveUp(next);
      break;
    }
    const counting = this.#attempts.slice(first);
    for (const attempt of counting) attempt.tell();
    return Promise.all(counting.map(({ hold }) => hold));
  }

  async #decided(attempt: MemberAttempt): Promise<'granted' | 'waiting'> {
    try {
      return await attempt.decided;
    } catch (error) {
      // Its events say why there are no locks.
      attempt.tell();
      throw error;
    }
  }

  /** Releases in the reverse order. */
  #giveUp(first: number): void {
    for (const attempt of this.#attempts.splice(first).toReversed()) attempt.giveUp();
  }

  /** Its ttl and its minHold begin when all are granted. */
  #attempt(resource: string): MemberAttempt {
    const options = { ...this.options, ttl: 0, minHold: 0 };
    const startedAt = this.#startedAt;
    return new MemberAttempt(this.context.events, (events) =>
      this.context.start(resource, { options, events, startedAt }),
    );
  }
}

import type { Clock, Timer } from '../clock.js';
import type { LossReason } from '../errors/lock-lost.error.js';
import type { Note, Release, ShareableGrant } from '../lock-provider.interface.js';
import { LocalGrant, type SharedTurn } from './local-grant.js';
import type { LocalWaiter } from './local-waiter.js';

/** The queue of the process, which a turn tells what happens to it. */
export interface TurnObserver {
  /** Number of the caller that asked last. */
  readonly lastNumber: number;
  /** It is known now whether others are queued in the store. */
  othersKnown(turn: Turn): void;
  lost(turn: Turn): void;
  /** Nobody in the process has wanted the lock for as long as it may linger. */
  idled(turn: Turn): void;
  /** Nobody holds the lock any more. */
  released(turn: Turn, passOn: boolean): Release;
}

export interface TurnContext {
  readonly clock: Clock;
  /** How many callers that asked later a turn serves although another process is queued. */
  readonly handOver: number;
  /** How long a turn goes on although nobody wants the lock, ms. */
  readonly linger: number;
}

/** `unknown`: it depends on who else is in the queue of the store. */
type Service = 'yes' | 'no' | 'unknown';

/** The time from a grant of the store to its release, in which callers of one process hold the lock one after the other. */
export class Turn implements SharedTurn {
  /** The caller that holds the lock. */
  holder: LocalGrant | undefined;
  /** Others that are queued behind it in the store, as far as known; 0 only while that is certain. */
  #others: number | undefined;
  #isAsked = false;
  #grants = 0;
  /** Number of the last caller that it serves whoever else is queued. */
  #servesUpTo: number;
  /** Grants to callers who asked after another process. */
  #handOvers = 0;
  /** Since nobody in the process wants the lock. */
  #idle: { readonly timer: Timer; isOver: boolean } | undefined;
  #loss: { reason: LossReason; cause: unknown } | undefined;

  constructor(
    readonly grant: ShareableGrant,
    private readonly context: TurnContext,
    private readonly observer: TurnObserver,
  ) {
    this.#servesUpTo = observer.lastNumber;
    if (grant.behind > 0) this.#others = grant.behind;
    grant.listen({
      lost: (reason, cause) => this.#lost(reason, cause),
      revokeRequested: () => this.#revokeRequested(),
    });
  }

  get deadline(): number {
    return this.grant.deadline;
  }

  get note(): Note {
    return this.grant.note;
  }

  get others(): number | undefined {
    return this.#others;
  }

  get loss(): { reason: LossReason; cause: unknown } | undefined {
    return this.#loss;
  }

  /**
   * Whether the waiter may hold the lock in this turn: if it waited when the turn began, if nobody is in the queue of the
   * store, or if others have not yet waited for as many hand-overs as they have to.
   */
  serves({ number }: LocalWaiter): Service {
    if (!this.#canGoOn) return 'no';
    if (!this.#isLate(number)) return 'yes';
    if (this.#others === undefined) return 'unknown';
    return this.#handOvers < this.context.handOver ? 'yes' : 'no';
  }

  /** Whether it goes on although nobody in the process wants the lock: for a while, unless others are queued. */
  lingers(): boolean {
    const { linger, clock } = this.context;
    if (linger === 0 || !this.#canGoOn || (this.#others ?? 0) > 0) return false;
    this.askForOthers();
    this.#idle ??= { timer: clock.setTimer(() => this.#lingered(), linger), isOver: false };
    return !this.#idle.isOver;
  }

  /** Finds out whether others are queued in the store, once. */
  askForOthers(): void {
    if (this.#isAsked || this.#others !== undefined) return;
    this.#isAsked = true;
    let haveJoined = false;
    const joined = (): void => {
      haveJoined = true;
      if (this.#others !== 0) return;
      // All callers of this process that wait now were there before.
      this.#servesUpTo = this.observer.lastNumber;
      this.#know(1);
    };
    void this.grant
      .othersBehind(joined)
      .then((others) => this.#know(haveJoined ? Math.max(1, others) : others));
  }

  /** The next caller holds the lock from now on. */
  hand({ request: { owner }, number }: Pick<LocalWaiter, 'request' | 'number'>): LocalGrant {
    this.#stopIdling();
    const token = this.grant.localToken(this.#grants)!;
    this.#grants += 1;
    if (this.#isLate(number)) this.#handOvers += 1;
    this.holder = new LocalGrant(this, token, owner);
    return this.holder;
  }

  released(grant: LocalGrant, passOn: boolean): Release {
    if (this.holder === grant) this.holder = undefined;
    return this.observer.released(this, passOn);
  }

  release(): Release {
    this.#stopIdling();
    this.holder = undefined;
    return this.grant.release(false);
  }

  get #canGoOn(): boolean {
    const isAlive = this.#loss === undefined && this.context.clock.elapsed() < this.deadline;
    return isAlive && this.grant.localToken(this.#grants) !== undefined;
  }

  /** It asked when another process may have been queued already. */
  #isLate(number: number): boolean {
    return number > this.#servesUpTo && this.#others !== 0;
  }

  #know(others: number): void {
    this.#others = others;
    this.observer.othersKnown(this);
  }

  /** Passed on to the holder. Without one, the lock lingers, and is given up. */
  #revokeRequested(): void {
    if (this.holder === undefined) this.#know(1);
    else this.holder.listener?.revokeRequested();
  }

  #lingered(): void {
    if (this.#idle === undefined) return;
    this.#idle.isOver = true;
    this.observer.idled(this);
  }

  #stopIdling(): void {
    this.#idle?.timer.cancel();
    this.#idle = undefined;
  }

  #lost(reason: LossReason, cause: unknown): void {
    this.#stopIdling();
    this.#loss = { reason, cause };
    this.holder?.listener?.lost(reason, cause);
    this.observer.lost(this);
  }
}

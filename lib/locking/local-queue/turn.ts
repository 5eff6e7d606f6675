import type { Clock, Timer } from '../clock.js';
import { DONE_RELEASE } from '../done-release.js';
import type { LossReason } from '../errors/lock-lost.error.js';
import { LinkedList } from '../linked-list.js';
import type { Note, Others, Release, ShareableGrant } from '../lock-provider.interface.js';
import { LocalGrant, type SharedTurn } from './local-grant.js';
import type { LocalWaiter } from './local-waiter.js';
import { PendingRelease } from './pending-release.js';

/** The queue of the process, which a turn tells what happens to it. */
export interface TurnObserver {
  /** Number of the caller that asked last. */
  readonly lastNumber: number;
  /** Something else is known now of others that are queued in the store. */
  othersKnown(turn: Turn): void;
  lost(turn: Turn): void;
  /** Nobody in the process has wanted the lock for as long as it may linger. */
  idled(turn: Turn): void;
  /** One of its holders has released the lock. */
  left(turn: Turn, passOn: boolean): Release;
}

export interface TurnContext {
  readonly clock: Clock;
  /** How many callers that asked later a turn serves although another process is queued. */
  readonly handOver: number;
  /** How long a turn goes on from now on although nobody wants the lock, ms. */
  readonly linger: () => number;
  /** Its callers hold the lock together, and only those who do not share it count as others. */
  readonly shares: boolean;
}

/** `unknown`: it depends on who else is in the queue of the store. */
type Service = 'yes' | 'no' | 'unknown';

/**
 * The time from a grant of the store to its release, in which callers of one process hold the lock: one after the other, or,
 * if they share it, also together.
 */
export class Turn implements SharedTurn {
  readonly #holders = new LinkedList<LocalGrant>();
  /** Others that are queued behind it in the store, as far as known; 0 only while that is certain. */
  #others: Others | undefined;
  /** Nobody has joined or left since they were counted. */
  #isCounted = false;
  #isAsking = false;
  #grants = 0;
  /** Of the next caller, made once: it is asked for several times. Undefined: the store has none left. */
  #nextToken: bigint | undefined;
  /** Number of the last caller that it serves whoever else is queued. */
  #servesUpTo: number;
  /** Grants to callers who asked after another process. */
  #handOvers = 0;
  /** Since nobody in the process wants the lock. */
  #idle: { readonly timer: Timer; isOver: boolean } | undefined;
  #loss: { reason: LossReason; cause: unknown } | undefined;
  /** For callers who have released the lock while that was not decided. */
  #outcome: PendingRelease | undefined;
  /** For the release of the lock, which does not linger after it. `open`: no holder has heard of it, and the next one is to. */
  #request: 'none' | 'open' | 'passedOn' = 'none';

  constructor(
    readonly grant: ShareableGrant,
    private readonly context: TurnContext,
    private readonly observer: TurnObserver,
  ) {
    this.#servesUpTo = observer.lastNumber;
    this.#nextToken = grant.localToken(0);
    // Those behind may share the lock, too.
    if (grant.behind !== 0 && !context.shares) this.#others = grant.behind;
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

  /** How many others are known: 0 if the store does not tell, undefined before its answer. */
  get others(): number | undefined {
    return this.#others === 'some' ? 0 : this.#others;
  }

  /** True if `others` is their number now, or the store does not tell. */
  get isExact(): boolean {
    if (typeof this.#others !== 'number') return this.#others === 'some';
    return this.#others === 0 || this.#isCounted;
  }

  /** The store is counting the others. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** The callers that hold the lock. */
  get holders(): readonly LocalGrant[] {
    return [...this.#holders];
  }

  get firstHolder(): LocalGrant | undefined {
    return this.#holders.first;
  }

  get isHeld(): boolean {
    return this.#holders.size > 0;
  }

  /** As that of the grant. */
  settle(): void {
    this.grant.settle?.();
  }

  /** Whether another caller can have the lock now. */
  get isFree(): boolean {
    return this.context.shares || !this.isHeld;
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
  linger(): boolean {
    const { clock } = this.context;
    const linger = this.context.linger();
    if (linger === 0 || this.#request !== 'none' || !this.#canGoOn || (this.#others ?? 0) !== 0) return false;
    this.askForOthers();
    this.#idle ??= { timer: clock.setTimer(() => this.#lingered(), linger), isOver: false };
    if (!this.#idle.isOver) this.#decide(DONE_RELEASE);
    return !this.#idle.isOver;
  }

  /**
   * Finds out whether others are queued in the store, unless that is known.
   *
   * @param exactly how many it is
   */
  askForOthers(exactly = false): void {
    const isKnown = exactly ? this.isExact : this.#others !== undefined;
    if (this.#isAsking || isKnown) return;
    this.#isAsking = true;
    const { lastNumber } = this.observer;
    let haveJoined = false;
    const joined = (): void => {
      haveJoined = true;
      this.#isCounted = false;
      if (this.#others !== 0) return;
      // All callers of this process that wait now were there before.
      this.#servesUpTo = this.observer.lastNumber;
      this.#know(this.#afterJoin(0));
    };
    void this.grant.othersBehind(joined).then((others) => {
      this.#isAsking = false;
      // Readers who had asked before this count are served even if a writer has joined since: otherwise, in a busy queue, they
      // would be counted again and again.
      if (others === 0 && this.context.shares) this.#servesUpTo = Math.max(this.#servesUpTo, lastNumber);
      // Even if somebody has joined since: otherwise, callers might never be told their places in a busy queue.
      this.#isCounted = true;
      this.#know(haveJoined ? this.#afterJoin(others) : others);
      this.#isCounted &&= !haveJoined;
    });
  }

  /** The next caller holds the lock from now on. */
  hand({ request: { owner }, number }: Pick<LocalWaiter, 'request' | 'number'>): LocalGrant {
    this.#stopIdling();
    this.#decide(DONE_RELEASE);
    const token = this.#nextToken!;
    this.#grants += 1;
    this.#nextToken = this.grant.localToken(this.#grants);
    if (this.#isLate(number)) this.#handOvers += 1;
    const holder = new LocalGrant(this, token, owner);
    this.#holders.push(holder);
    if (this.#request === 'open') {
      this.#request = 'passedOn';
      holder.revokeRequested();
    }
    return holder;
  }

  left(grant: LocalGrant, passOn: boolean): Release {
    this.#holders.remove(grant);
    if (grant.isUnheard) this.#request = 'open';
    return this.observer.left(this, passOn);
  }

  release(): Release {
    this.#stopIdling();
    const release = this.grant.release(false);
    this.#decide(release);
    return release;
  }

  /** The release of a caller as long as the store has not told whether the next one has the lock or the turn ends. */
  get outcome(): Release {
    this.#outcome ??= new PendingRelease(() => this.grant.isSuspended === true);
    return this.#outcome;
  }

  /** It can serve nobody any more: its session may have ended, or it has no token left. */
  get isOver(): boolean {
    return !this.#canGoOn;
  }

  /** Reads the clock only when the lock is free to be handed over: the holder of a lock checks the deadline itself. */
  get #canGoOn(): boolean {
    if (this.#loss !== undefined || (this.isFree && this.context.clock.elapsed() >= this.deadline))
      return false;
    return this.#nextToken !== undefined;
  }

  /** The caller of a pending release held the lock until then: only a deletion may have been before. */
  #decide(release: Release): void {
    this.#outcome?.follow(release, this.#loss !== undefined && this.#loss.reason !== 'deleted');
    this.#outcome = undefined;
  }

  /** It asked when another process may have been queued already. */
  #isLate(number: number): boolean {
    return number > this.#servesUpTo && this.#others !== 0;
  }

  /** Somebody has joined the queue after there were so many others: one more, unless it may share the lock. */
  #afterJoin(others: Others): Others | undefined {
    if (others !== 0) return others;
    return this.context.shares ? undefined : 1;
  }

  #know(others: Others | undefined): void {
    this.#others = others;
    this.observer.othersKnown(this);
  }

  /** Passed on to all holders. Without one, the lock lingers, and is given up, or it is on its way to the next holder. */
  #revokeRequested(): void {
    this.#request = this.isHeld ? 'passedOn' : 'open';
    for (const holder of this.holders) holder.revokeRequested();
    if (this.#request === 'open') this.#know(1);
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
    for (const holder of this.holders) holder.tellLoss();
    this.observer.lost(this);
  }
}

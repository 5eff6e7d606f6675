import { DONE_RELEASE } from '../done-release.js';
import type {
  Busy,
  EnterRequest,
  Grant,
  LockMode,
  Predecessor,
  LockSnapshot,
  QueuedPlace,
  Release,
  ShareableGrant,
  ShareableLockProvider,
} from '../lock-provider.interface.js';
import { aheadOfCallers, aheadOfReaders, type Ahead } from './ahead.js';
import { EventLoopBreaks } from './event-loop-breaks.js';
import type { LocalWaiter } from './local-waiter.js';
import { StoreEntry, type StoreEntryObserver } from './store-entry.js';
import { Turn, type TurnContext, type TurnObserver } from './turn.js';
import { withLocalCallers } from './with-local-callers.js';
import { WaitingRoom } from './waiting-room.js';

export interface LocalQueueContext extends TurnContext {
  readonly enterStore: ShareableLockProvider['enter'];
}

/**
 * The callers of one process that want one lock, and their common place in the queue of the store. A turn of the process
 * serves everybody who waits when it begins, and everybody who asks while no other process is queued. Callers who ask later
 * share the next place in the store, which is taken as soon as one of them is the first to wait.
 *
 * Callers that share the lock have it together in a turn, which ends with the last of them. What ends their turn for later
 * callers is a contender in the queue that does not share the lock: nobody passes it.
 */
export class LocalQueue implements TurnObserver, StoreEntryObserver {
  readonly #waiting: WaitingRoom;
  readonly #breaks: EventLoopBreaks;
  /** The lock is held in it, is between two callers, or lingers. */
  #turn: Turn | undefined;
  /** Those before it that are still held. */
  readonly #earlier = new Set<Turn>();
  #entry: StoreEntry | undefined;
  #hasLostPlace = false;

  /**
   * @param unused called when nobody holds the lock or waits for it any more
   * @param inContact whether the store has answered lately
   */
  constructor(
    private readonly context: LocalQueueContext,
    private readonly unused: () => void,
    inContact: () => boolean,
  ) {
    this.#waiting = new WaitingRoom(
      () => this.#ahead,
      () => this.#isSurelyBusy(inContact),
      context.shares,
    );
    this.#breaks = new EventLoopBreaks(context.clock, () => this.#advance());
  }

  get lastNumber(): number {
    return this.#waiting.lastNumber;
  }

  /** Nobody waits for the lock, and nobody who asks can have it without the store. */
  get isIdle(): boolean {
    return this.#turn === undefined && this.#entry === undefined && this.#waiting.first === undefined;
  }

  /** A caller has the lock that nobody shares with it. */
  get isHeld(): boolean {
    return !this.context.shares && this.#turn?.isHeld === true;
  }

  /** Waits behind all others; an immediate attempt only until that is known. Rejects as `LockProvider.enter` does. */
  join(request: EnterRequest): Promise<Grant | Busy> {
    const waiter = this.#waiting.add(request, () => this.#advance());
    this.#advance();
    return waiter.outcome;
  }

  /** The store has granted the lock to a caller that would not have waited: others can have it next. */
  begin(grant: ShareableGrant, request: EnterRequest): Grant {
    this.#turn = this.#begun(grant);
    return this.#turn.hand({ request, number: this.lastNumber });
  }

  /** Gives up the lock if it only lingers, because somebody of this process wants it in another way. */
  endIdleTurn(): Release | undefined {
    const turn = this.#turn;
    if (turn?.isHeld !== false || this.#waiting.first !== undefined) return undefined;
    this.#unusedUnlessHeld();
    return this.#giveUp(turn);
  }

  /** What the store knows of the queue, with what only this process knows. */
  describe(snapshot: LockSnapshot, mode: LockMode): LockSnapshot {
    const turn = this.#turn;
    return withLocalCallers(snapshot, {
      mode,
      turns: turn === undefined ? [...this.#earlier] : [...this.#earlier, turn],
      place: this.#entry?.first.owner,
      next: this.#waiting.owners((waiter) => turn?.serves(waiter) === 'yes'),
      waiters: this.#waiting.owners((waiter) => turn?.serves(waiter) !== 'yes'),
    });
  }

  placed(entry: StoreEntry, { requeued, ahead }: QueuedPlace): void {
    if (entry !== this.#entry) return;
    // The turn has no token left, and others are between it and those that it would have served.
    const isBehindOthers = this.#turn?.isOver === true && ahead > 1;
    if (requeued || this.#hasLostPlace || isBehindOthers) this.#waiting.tellNewPlaces();
    this.#hasLostPlace = false;
    this.#tellPlaces();
  }

  predecessorRead(predecessor: Predecessor): void {
    this.#waiting.tellPredecessor(predecessor);
  }

  /** Whoever comes after the first one asks whether others wait as well. */
  wantsOthers(): boolean {
    return this.#waiting.size > 1;
  }

  ended(entry: StoreEntry, outcome: ShareableGrant | Busy): void {
    if (entry !== this.#entry) return void (outcome.busy || outcome.release(false));
    this.#entry = undefined;
    if (outcome.busy) this.#waiting.refuse(entry.first, outcome);
    else this.#replaceTurn(this.#begun(outcome));
    this.#advance();
    this.#tellPlaces();
  }

  failed(entry: StoreEntry, error: unknown): void {
    if (entry !== this.#entry) return;
    this.#entry = undefined;
    this.#waiting.rejectUnless((waiter) => this.#turn?.serves(waiter) === 'yes', error);
    this.#advance();
  }

  othersKnown(turn: Turn): void {
    if (turn !== this.#turn) return;
    this.#waiting.tellPlaces();
    this.#advance();
  }

  lost(turn: Turn): void {
    if (turn !== this.#turn) return;
    this.#turn = undefined;
    this.#hasLostPlace = true;
    // Holders release it. Between two holders nobody else would, and the node would block everybody (H03).
    if (!turn.isHeld) turn.release();
    this.#advance();
  }

  idled(turn: Turn): void {
    if (turn === this.#turn) this.#advance();
  }

  left(turn: Turn, passOn: boolean): Release {
    if (turn.loss !== undefined) this.lost(turn);
    if (turn.isHeld) return DONE_RELEASE;
    if (turn !== this.#turn) return this.#endEarlier(turn);
    if (passOn) return this.#advance() ?? this.#keptFor(this.#waiting.first, turn);
    const release = this.#giveUp(turn);
    this.#hasLostPlace = true;
    this.#advance();
    return release;
  }

  /** Refuses callers whose queue is full. If nobody is left then, gives up the place in the store. */
  #tellPlaces(): void {
    this.#waiting.tellPlaces();
    if (this.#waiting.first === undefined) this.#advance();
  }

  /** Does what is due for the first who waits. Returns the release of the turn, if that ends it. */
  #advance(): Release | undefined {
    const turn = this.#turn;
    const waiter = this.#waiting.first;
    if (waiter === undefined) return this.#end();
    const service = turn?.serves(waiter) ?? 'no';
    if (service === 'yes') this.#hand(waiter);
    if (service === 'unknown' || this.#waiting.hasUntold) turn?.askForOthers(this.#needsCount);
    if (service !== 'no' || this.#mayBeRefused(waiter)) return undefined;
    // In this order: without other processes, the new place is the first one at once.
    const release = turn?.isHeld === false ? this.#giveUp(turn) : undefined;
    if (this.#entry === undefined) {
      // It would have served those who wait, and cannot: they have to queue in the store.
      this.#hasLostPlace ||= turn?.isOver === true && !turn.isHeld;
      this.#entry = new StoreEntry(waiter.request, waiter.maxWaiters, this, this.context.enterStore);
    }
    return release;
  }

  /** Others are still being counted for this caller. The store could refuse it after it has been told its place. */
  #mayBeRefused({ maxWaiters }: LocalWaiter): boolean {
    return maxWaiters !== Infinity && this.#turn?.isHeld === true && this.#turn.isAsking;
  }

  /** Nobody waits. */
  #end(): Release | undefined {
    const turn = this.#turn;
    this.#entry?.leave();
    this.#entry = undefined;
    if (turn?.isHeld === true || turn?.linger() === true) return undefined;
    this.#unusedUnlessHeld();
    return turn && this.#giveUp(turn);
  }

  /** The process keeps the lock, for the next caller or because it lingers, unless the store has to tell first. */
  #keptFor(next: LocalWaiter | undefined, turn: Turn): Release {
    const isUndecided = next !== undefined && !turn.isHeld && turn.serves(next) === 'unknown';
    return isUndecided ? turn.outcome : DONE_RELEASE;
  }

  #endEarlier(turn: Turn): Release {
    this.#earlier.delete(turn);
    if (this.isIdle) this.#unusedUnlessHeld();
    return turn.release();
  }

  /** Nobody needs the queue any more, unless the lock is still held in an earlier turn. */
  #unusedUnlessHeld(): void {
    if (this.#earlier.size === 0) this.unused();
  }

  #hand(waiter: LocalWaiter): void {
    const turn = this.#turn;
    if (turn?.isFree !== true || !this.#breaks.mayPassOn()) return;
    this.#waiting.remove(waiter);
    waiter.resolve(turn.hand(waiter));
    // So that it is known at the release what the next one needs.
    if (this.#waiting.first !== undefined) this.#advance();
  }

  /**
   * If there was a turn, its callers share the lock with the new one and keep it; or else an operator has deleted its node,
   * and a holder in it learns of that soon.
   */
  #replaceTurn(turn: Turn): void {
    if (this.#turn?.isHeld === true) this.#earlier.add(this.#turn);
    else this.#turn?.release();
    this.#turn = turn;
    this.#hasLostPlace = false;
  }

  #begun(grant: ShareableGrant): Turn {
    return new Turn(grant, this.context, this);
  }

  #giveUp(turn: Turn): Release {
    this.#turn = undefined;
    return turn.release();
  }

  /** A lock that nobody shares is certainly busy while the process has it; others keep its callers from a shared one. */
  #isSurelyBusy(inContact: () => boolean): boolean {
    if (this.#turn !== undefined && !this.context.shares) return true;
    return this.#entry?.place?.inContact() ?? inContact();
  }

  get #ahead(): Ahead | undefined {
    const aheadOf = this.context.shares ? aheadOfReaders : aheadOfCallers;
    return aheadOf(this.#turn, this.#entry ?? {});
  }

  /** Once the process has a place in the store, that tells who is ahead. */
  get #needsCount(): boolean {
    return !this.context.shares && this.#entry === undefined && this.#waiting.hasUntold;
  }
}

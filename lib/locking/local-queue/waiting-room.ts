import type { Busy, EnterRequest, OwnerRecord, Predecessor } from '../lock-provider.interface.js';
import type { Ahead } from './ahead.js';
import { LinkedList } from '../linked-list.js';
import { LocalWaiter } from './local-waiter.js';

/** The callers of one process that wait for one lock, in the order in which they asked. */
export class WaitingRoom {
  readonly #waiters = new LinkedList<LocalWaiter>();
  #lastNumber = 0;
  #hasUntold = false;

  /**
   * @param ahead undefined while that is not known
   * @param inContact false if it is unknown whether the lock is still busy
   * @param shares they will have the lock together, and do not wait for each other
   */
  constructor(
    private readonly ahead: () => Ahead | undefined,
    private readonly inContact: () => boolean,
    private readonly shares: boolean,
  ) {}

  /** Number of the caller that came last, from 1. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  get first(): LocalWaiter | undefined {
    return this.#waiters.first;
  }

  get size(): number {
    return this.#waiters.size;
  }

  owners(which: (waiter: LocalWaiter) => boolean): OwnerRecord[] {
    return [...this.#waiters].filter(which).map(({ request }) => request.owner);
  }

  /** @param left called when the caller has given up */
  add(request: EnterRequest, left: () => void): LocalWaiter {
    const predecessor = this.#predecessorOf(this.#waiters.last);
    if (predecessor !== undefined) request.onPredecessor(predecessor);
    this.#lastNumber += 1;
    const waiter = new LocalWaiter(request, this.#lastNumber, () => {
      this.#leave(waiter);
      left();
    });
    this.#waiters.push(waiter);
    this.#tell(waiter, this.#waiters.size - 1);
    return waiter;
  }

  remove(waiter: LocalWaiter): void {
    this.#waiters.remove(waiter);
  }

  /** Tells those who are the first to wait for the place in the store who is ahead of that. */
  tellPredecessor(predecessor: Predecessor): void {
    for (const { request } of this.#waiters) {
      request.onPredecessor(predecessor);
      if (!this.shares) return;
    }
  }

  /** Answers the caller of `request`, if it still waits, and all others for which the queue is full, too. */
  refuse(request: EnterRequest, busy: Busy): void {
    const { waiters } = busy;
    for (const waiter of this.#waiters) {
      const isFull = waiters !== undefined && !waiter.request.immediate && waiter.maxWaiters <= waiters;
      if (waiter.request !== request && !isFull) continue;
      this.#leave(waiter);
      waiter.resolve(busy);
    }
  }

  rejectUnless(stays: (waiter: LocalWaiter) => boolean, error: unknown): void {
    for (const waiter of this.#waiters) {
      if (stays(waiter)) continue;
      this.#waiters.remove(waiter);
      waiter.reject(error);
    }
  }

  /** Somebody has not been told a place, because too little is known of who is ahead. */
  get hasUntold(): boolean {
    return this.#hasUntold && this.#waiters.first !== undefined;
  }

  /** Tells places to those who do not know theirs, as far as that is known now. */
  tellPlaces(): void {
    if (!this.#hasUntold) return;
    this.#hasUntold = false;
    let index = 0;
    for (const waiter of this.#present()) if (waiter.isTold || this.#tell(waiter, index)) index += 1;
  }

  /** All have lost their places, and have new ones. */
  tellNewPlaces(): void {
    const { count = 1, holders = 1 } = this.ahead() ?? {};
    let index = 0;
    for (const waiter of this.#present()) {
      if (waiter.isTold)
        waiter.tell({ requeued: true, ahead: count + index, holders, inContact: this.inContact });
      index += 1;
    }
  }

  /** The callers that still wait, checked one by one: code that is told a place may end the wait of others. */
  *#present(): Generator<LocalWaiter> {
    for (const waiter of [...this.#waiters]) if (!waiter.hasEnded) yield waiter;
  }

  /** @returns false if the queue is full for the waiter, which is out then */
  #tell(waiter: LocalWaiter, index: number): boolean {
    const { immediate, maxWaiters } = waiter.request;
    const ahead = this.ahead();
    if (ahead === undefined || (maxWaiters !== Infinity && !immediate && !ahead.isExact)) {
      this.#hasUntold = true;
      return true;
    }
    // Nobody keeps this one from the lock, unless others turn out to be queued.
    if (ahead.count + (this.shares ? 0 : index) === 0) {
      this.#hasUntold = true;
      return true;
    }
    const { holders } = ahead;
    const waiters = ahead.count + index - holders;
    if (!immediate && waiters < maxWaiters) {
      waiter.tell({ requeued: false, ahead: ahead.count + index, holders, inContact: this.inContact });
      return true;
    }
    this.#leave(waiter);
    waiter.resolve(
      immediate ? busyBehind(waiter.request, ahead) : { busy: true, holder: undefined, waiters },
    );
    return false;
  }

  #leave(waiter: LocalWaiter): void {
    const { previous, next } = waiter;
    this.#waiters.remove(waiter);
    const predecessor = this.#predecessorOf(previous);
    if (predecessor !== undefined) next?.request.onPredecessor(predecessor);
  }

  #predecessorOf(previous: LocalWaiter | undefined): Predecessor | undefined {
    return this.shares || previous === undefined ? this.ahead()?.predecessor : previous.request.owner;
  }
}

function busyBehind({ describeHolder }: EnterRequest, { holder }: Ahead): Busy {
  return { busy: true, holder: describeHolder ? holder?.owner : undefined };
}

import type { Busy, EnterRequest, Grant, QueuedPlace } from '../lock-provider.interface.js';
import type { Linked } from '../linked-list.js';

/** A caller that waits in its process. */
export class LocalWaiter implements Linked<LocalWaiter> {
  previous: LocalWaiter | undefined;
  next: LocalWaiter | undefined;
  readonly outcome: Promise<Grant | Busy>;
  #isTold = false;
  #hasEnded = false;
  #resolve!: (outcome: Grant | Busy) => void;
  #reject!: (error: unknown) => void;
  readonly #stopListening: () => void;

  /**
   * @param number of the caller in its queue, from 1
   * @param left called when the caller has given up
   */
  constructor(
    readonly request: EnterRequest,
    readonly number: number,
    left: () => void,
  ) {
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#stopListening = request.abort.onAbort((reason) => {
      this.reject(reason);
      left();
    });
  }

  /** It knows its place, and may stay in the queue however long that becomes. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** Behind how many others it may queue in the store. One that knows its place has been admitted. */
  get maxWaiters(): number {
    return this.#isTold ? Infinity : this.request.maxWaiters;
  }

  /** It waits no longer. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  tell(place: QueuedPlace): void {
    this.#isTold = true;
    this.request.onQueued(place);
  }

  resolve(outcome: Grant | Busy): void {
    this.#end();
    this.#resolve(outcome);
  }

  reject(error: unknown): void {
    this.#end();
    this.#reject(error);
  }

  #end(): void {
    this.#hasEnded = true;
    this.#stopListening();
  }
}

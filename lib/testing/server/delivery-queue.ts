import type { Clock, Timer } from '../../locking/clock.js';

interface Waiting<T> {
  readonly item: T;
  readonly due: number;
}

/** Delivers items in order, each when its delay is over and the queue is not held. */
export class DeliveryQueue<T> {
  readonly #waiting: Waiting<T>[] = [];
  #holds = 0;
  #timer: Timer | undefined;
  #draining = false;

  /** `delay` returns the delay of an item that is pushed now, ms. */
  constructor(
    private readonly clock: Clock,
    private readonly pass: (item: T) => void,
    private readonly delay: () => number = () => 0,
  ) {}

  push(item: T): void {
    this.#waiting.push({ item, due: this.clock.monotonic() + this.delay() });
    this.#drain();
  }

  /** Stops the delivery until the returned function is called. With several holds, until all are released. */
  hold(): () => void {
    this.#holds += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      this.#drain();
    };
  }

  /** Drops all items. */
  close(): void {
    this.#timer?.cancel();
    this.#waiting.length = 0;
  }

  #drain(): void {
    // A delivery may push more items, and these go to the end of the queue.
    if (this.#draining) return;
    this.#draining = true;
    try {
      while (this.#holds === 0 && this.#isDue()) this.pass(this.#waiting.shift()!.item);
    } finally {
      this.#draining = false;
    }
    this.#timer?.cancel();
    const next = this.#waiting[0];
    if (next === undefined || this.#holds > 0) return;
    const delay = Math.max(Math.ceil(next.due - this.clock.monotonic()), 0);
    this.#timer = this.clock.setTimer(() => this.#drain(), delay);
  }

  #isDue(): boolean {
    const next = this.#waiting[0];
    return next !== undefined && next.due <= this.clock.monotonic();
  }
}

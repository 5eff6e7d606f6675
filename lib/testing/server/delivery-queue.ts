import type { Clock, Timer } from '../../locking/clock.js';

interface Waiting<T> {
  readonly item: T;
  readonly due: number;
}

/** Passes things on in order, at once or as soon as they are due and nobody holds them back any more. */
export class DeliveryQueue<T> {
  readonly #waiting: Waiting<T>[] = [];
  #holds = 0;
  #timer: Timer | undefined;
  #draining = false;

  /** `delay` says how long what is pushed now is on its way, ms. */
  constructor(
    private readonly clock: Clock,
    private readonly pass: (item: T) => void,
    private readonly delay: () => number = () => 0,
  ) {}

  push(item: T): void {
    this.#waiting.push({ item, due: this.clock.monotonic() + this.delay() });
    this.#drain();
  }

  /** Nothing passes until the function it returns is called; several holds add up. */
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

  /** Nothing passes ever again. */
  close(): void {
    this.#timer?.cancel();
    this.#waiting.length = 0;
  }

  #drain(): void {
    // What is passed on may push more, and that has to queue up behind.
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

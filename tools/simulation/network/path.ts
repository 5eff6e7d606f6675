import type { Scheduler } from '../world/scheduler.js';
import type { Direction, Traffic } from './direction.js';

interface InFlight<T> {
  readonly item: T;
  readonly bytes: number;
  /** When the sender has sent it. */
  readonly sent: number;
  /** When its last byte leaves. */
  left: number;
  readonly latency: number;
}

/** Carries items from one host to another, first in, first out, such as one direction of a TCP connection. */
export class Path<T> implements Traffic {
  readonly #inFlight: InFlight<T>[] = [];
  readonly #random;
  #arrival: { cancel(): void } | undefined;
  /** Everything that was sent has left by then. */
  #idleFrom = 0;
  /** What was kept during a stall does not arrive earlier. */
  #earliest = 0;
  #closed = false;

  /**
   * @param from whose time it is when something is sent
   * @param arrived called at the arrival, whatever the receiver is doing
   */
  constructor(
    private readonly scheduler: Scheduler,
    private readonly direction: Direction,
    private readonly from: { readonly now: number },
    private readonly arrived: (item: T) => void,
  ) {
    this.#random = direction.forkRandom();
  }

  send(item: T, bytes: number, leaves = this.from.now): void {
    if (this.#closed) return;
    this.#idleFrom = Math.max(leaves, this.#idleFrom) + bytes / this.direction.bytesPerMs;
    this.#inFlight.push({ item, bytes, sent: leaves, left: this.#idleFrom, latency: this.#latency() });
    if (this.#inFlight.length > 1) return;
    this.direction.started(this);
    if (!this.direction.stalled) this.#awaitFirst();
  }

  /** What the sender would have sent by its own, later time is not sent. */
  recall(): void {
    const { now } = this.scheduler;
    const early = this.#inFlight.findIndex(({ sent }) => sent > now);
    if (early < 0) return;
    this.#inFlight.length = early;
    this.#idleFrom = Math.max(now, this.#inFlight.at(-1)?.left ?? 0);
    if (early > 0) return;
    this.halt();
    this.direction.ended(this);
  }

  /** What is in flight is lost. */
  close(): void {
    this.#closed = true;
    this.halt();
    this.#inFlight.length = 0;
    this.direction.ended(this);
  }

  /** What is in flight is lost; what is sent from now on arrives. */
  drop(): void {
    this.halt();
    this.#inFlight.length = 0;
    this.#idleFrom = this.scheduler.now;
    this.direction.ended(this);
  }

  halt(): void {
    this.#arrival?.cancel();
    this.#arrival = undefined;
  }

  proceed(): void {
    this.#earliest = this.scheduler.now + this.#latency();
    this.#awaitFirst();
  }

  paced(before: number): void {
    const { now } = this.scheduler;
    this.#idleFrom = now;
    for (const one of this.#inFlight.filter(({ left }) => left > now)) {
      const bytes = Math.min(one.bytes, (one.left - now) * before);
      one.left = Math.max(one.sent, this.#idleFrom) + bytes / this.direction.bytesPerMs;
      this.#idleFrom = one.left;
    }
    if (this.direction.stalled) return;
    this.halt();
    this.#awaitFirst();
  }

  #latency(): number {
    const { min, max } = this.direction.latency;
    return this.#random.between(min, max);
  }

  /** Only the first is scheduled: no item overtakes another. */
  #awaitFirst(): void {
    const [first] = this.#inFlight;
    if (first === undefined) return;
    const arrives = Math.max(first.left + first.latency, this.#earliest);
    this.#arrival = this.scheduler.schedule(arrives, () => this.#arriveFirst());
  }

  #arriveFirst(): void {
    const { item } = this.#inFlight.shift() as InFlight<T>;
    if (this.#inFlight.length === 0) this.direction.ended(this);
    this.#awaitFirst();
    this.arrived(item);
  }
}

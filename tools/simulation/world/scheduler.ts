import { CancellableHeap, type Cancellable } from './cancellable-heap.js';
import type { Random } from './random.js';

interface ScheduledEvent extends Cancellable {
  readonly at: number;
  readonly tie: number;
  readonly number: number;
  readonly run: () => void;
}

function isBefore(a: ScheduledEvent, b: ScheduledEvent): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.tie === b.tie ? a.number < b.number : a.tie < b.tie;
}

/** Captured before a test or the code under test can replace it. */
const queueImmediate = setImmediate;
/**
 * Between two immediates of one batch, Node runs all process.nextTick callbacks and microtasks, as it does between two
 * batches; but only between two batches does it poll the real network.
 */
const BATCH = 64;

/** Owns the time and the order of everything that happens in a simulation. */
export class Scheduler {
  readonly #events = new CancellableHeap<ScheduledEvent>(isBefore);
  #now = 0;
  #scheduled = 0;
  #executed = 0;
  /** Called when what the code of a host has left to Node's queues has run too. */
  #settled: (() => void)[] = [];

  constructor(private readonly random: Random) {}

  /** Milliseconds since the start of the simulation; not an integer. */
  get now(): number {
    return this.#now;
  }

  /** How many events have been executed. */
  get executed(): number {
    return this.#executed;
  }

  /** Events for the same time are executed in an order that the seed decides. The past counts as now. */
  schedule(at: number, run: () => void): { cancel(): void } {
    if (!Number.isFinite(at)) throw new RangeError(`An event needs a time: got ${at}`);
    const event: ScheduledEvent = {
      at: Math.max(at, this.#now),
      tie: this.random.fraction(),
      number: this.#scheduled++,
      run: () => {
        // Not to be cancelled any more.
        event.cancelled = true;
        run();
      },
      cancelled: false,
    };
    this.#events.push(event);
    return {
      cancel: () => {
        if (!event.cancelled) this.#events.cancel(event);
      },
    };
  }

  /**
   * The current event has run code of a host: before the next event, all microtasks and process.nextTick callbacks that
   * it has caused run too, and then `settled`.
   */
  codeRan(settled: () => void): void {
    this.#settled.push(settled);
  }

  /** Executes events in order until `done` returns true or none is left. Rejects with what an event throws. */
  run(done: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let ended = false;
      // Events run directly from an immediate, not from a promise: after a macrotask, Node runs process.nextTick
      // callbacks before microtasks, as it does after the callbacks of real sockets and timers.
      const turn = (): void => {
        if (ended) return;
        try {
          ended = this.#runUntilCodeRan(done);
        } catch (error) {
          ended = true;
          reject(error);
        }
        if (ended) resolve();
      };
      const batch = (): void => {
        turn();
        for (let index = 1; index < BATCH && !ended; index++) queueImmediate(turn);
        if (!ended) queueImmediate(batch);
      };
      queueImmediate(batch);
    });
  }

  /** Returns true at the end of the run. */
  #runUntilCodeRan(done: () => boolean): boolean {
    const settled = this.#settled;
    this.#settled = [];
    for (const listener of settled) listener();
    while (!done()) {
      const event = this.#events.pop();
      if (event === undefined) return true;
      this.#now = event.at;
      this.#executed += 1;
      event.run();
      if (this.#settled.length > 0) return false;
    }
    return true;
  }
}

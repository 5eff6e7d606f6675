import { CancellableHeap, type Cancellable } from './cancellable-heap.js';

export interface LoopTimer extends Cancellable {
  readonly due: number;
  readonly number: number;
  readonly callback: () => void;
}

const isBefore = (a: LoopTimer, b: LoopTimer): boolean =>
  a.due === b.due ? a.number < b.number : a.due < b.due;

/**
 * Decides which callback of an event loop comes next, as libuv does: timers, then the socket events that were there when
 * the thread looked (poll), then the immediates that were queued before that phase began (check), then timers again. A
 * thread that finds nothing to do sleeps in the poll phase.
 */
export class LoopPhases {
  readonly timers = new CancellableHeap<LoopTimer>(isBefore);
  readonly #tasks: (() => void)[] = [];
  readonly #immediates: (() => void)[] = [];
  #phase: 'timers' | 'poll' | 'check' = 'timers';
  /** How many callbacks are left of those that the phase found. */
  #left = 0;

  addTask(task: () => void): void {
    this.#tasks.push(task);
  }

  addImmediate(callback: () => void): void {
    this.#immediates.push(callback);
  }

  /** When there is something to do: `now`, a later time, or undefined if a socket event must come first. */
  readyAt(now: number): number | undefined {
    return this.#tasks.length > 0 || this.#immediates.length > 0 ? now : this.timers.peek()?.due;
  }

  /** The thread slept in the poll phase until something was ready: socket events that have arrived come first. */
  wokenUp(): void {
    this.#enter('poll');
  }

  take(now: number): (() => void) | undefined {
    // What has been added since the current phase began is found when the phase comes again.
    for (let phases = 0; phases < 4; phases++) {
      const callback = this.#takeOfPhase(now);
      if (callback !== undefined) return callback;
      this.#enter(this.#phase === 'timers' ? 'poll' : this.#phase === 'poll' ? 'check' : 'timers');
    }
    return undefined;
  }

  #takeOfPhase(now: number): (() => void) | undefined {
    if (this.#phase === 'timers') return this.#takeTimer(now);
    if (this.#left === 0) return undefined;
    this.#left -= 1;
    return this.#phase === 'poll' ? this.#tasks.shift() : this.#immediates.shift();
  }

  #takeTimer(now: number): (() => void) | undefined {
    const timer = this.timers.peek();
    if (timer === undefined || timer.due > now) return undefined;
    this.timers.pop();
    // Not to be cancelled any more.
    timer.cancelled = true;
    return timer.callback;
  }

  #enter(phase: 'timers' | 'poll' | 'check'): void {
    this.#phase = phase;
    this.#left = phase === 'poll' ? this.#tasks.length : this.#immediates.length;
  }
}

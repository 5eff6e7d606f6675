import type { Clock } from '../clock.js';

/** The number of hand-overs between two readings of the clock, which cost time, too. */
const HAND_OVERS = 16;
/** How long a row of hand-overs lasts before a break, ms. */
const LONGEST_ROW_MS = 1;
/** The most hand-overs before a break, however short they are. */
const MOST_IN_A_ROW = 12 * HAND_OVERS;

/**
 * Breaks between hand-overs, in which sockets and timers have their turn: callers whose work awaits nothing but promises follow
 * each other in microtasks.
 */
export class EventLoopBreaks {
  /** Since the last break, however far apart. */
  #inARow = 0;
  /** Stamp of `Clock.monotonic()`. */
  #rowBegan = -Infinity;
  #isTaken = false;

  /** @param over called at the end of a break */
  constructor(
    private readonly clock: Clock,
    private readonly over: () => void,
  ) {}

  /** Whether the lock may pass on now. If not, it may when the break is over. */
  mayPassOn(): boolean {
    if (this.#isTaken) return false;
    if (this.#isDue()) {
      this.#take();
      return false;
    }
    this.#inARow += 1;
    return true;
  }

  #isDue(): boolean {
    if (this.#inARow === 0 || this.#inARow % HAND_OVERS !== 0) return false;
    return this.#inARow === MOST_IN_A_ROW || this.clock.monotonic() - this.#rowBegan >= LONGEST_ROW_MS;
  }

  #take(): void {
    this.#isTaken = true;
    this.clock.nextTurn(() => {
      this.#isTaken = false;
      this.#inARow = 0;
      this.#rowBegan = this.clock.monotonic();
      this.over();
    });
  }
}

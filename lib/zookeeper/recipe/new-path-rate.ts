import type { Clock } from '../../locking/clock.js';
import { dropOldest } from '../../locking/drop-oldest.js';

/** The server removes at most about 10,000 containers per minute. At higher rates, releases must remove them. */
const NEW_PATHS_PER_SECOND = 100;
/** So many paths are known again when they are made again. */
const REMEMBERED_PATHS = 10_000;

/** How fast a process makes new lock paths. */
export class NewPathRate {
  #second = 0;
  #madeThisSecond = 0;
  #madeLastSecond = 0;
  /** The paths that were made last, the latest at the end. */
  readonly #made = new Set<string>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** The server cannot remove so many. */
  get isHigh(): boolean {
    this.#turnSecond();
    return Math.max(this.#madeThisSecond, this.#madeLastSecond) >= NEW_PATHS_PER_SECOND;
  }

  /**
   * Called for each path that was made. One that is made again does not count: it is in use again and again, and was removed in
   * between. If it counted, it would be removed and made again without end.
   */
  count(path: string): void {
    this.#turnSecond();
    const isKnown = this.#made.delete(path);
    this.#made.add(path);
    if (isKnown) return;
    this.#madeThisSecond += 1;
    dropOldest(this.#made, REMEMBERED_PATHS);
  }

  #turnSecond(): void {
    const second = Math.floor(this.clock.monotonic() / 1_000);
    if (second === this.#second) return;
    this.#madeLastSecond = second === this.#second + 1 ? this.#madeThisSecond : 0;
    this.#madeThisSecond = 0;
    this.#second = second;
  }
}

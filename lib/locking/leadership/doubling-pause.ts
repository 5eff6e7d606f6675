const FIRST_PAUSE_MS = 500;
export const LONGEST_PAUSE_MS = 30_000;

/** A pause that is twice as long each time, up to the longest one. */
export class DoublingPause {
  #taken = 0;

  /** ms */
  next(): number {
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#taken);
    this.#taken += 1;
    return ms;
  }

  reset(): void {
    this.#taken = 0;
  }
}

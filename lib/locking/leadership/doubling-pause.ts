const FIRST_PAUSE_MS = 500;

/** A pause that is twice as long each time, up to the longest one. */
export class DoublingPause {
  #taken = 0;

  /** @param longest ms */
  constructor(readonly longest: number) {}

  /** ms */
  next(): number {
    const ms = Math.min(this.longest, FIRST_PAUSE_MS * 2 ** this.#taken);
    this.#taken += 1;
    return ms;
  }

  reset(): void {
    this.#taken = 0;
  }
}

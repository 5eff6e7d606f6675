/** Times as ISO 8601 texts. Keeps the last one, because a busy process asks many times in the same millisecond. */
export class TimeStamps {
  #ms = NaN;
  #text = '';

  /** @param ms since 1970 */
  of(ms: number): string {
    if (ms !== this.#ms) {
      this.#ms = ms;
      this.#text = new Date(ms).toISOString();
    }
    return this.#text;
  }
}

/** What a run may need beyond its planned duration, ms: more than the sum of all bounds in it. */
const ALLOWANCE_MS = 10 * 60_000;

/**
 * Ends a run that hangs, with exit code 2. No process outlives it: each child has an orphan killer, which kills it when its
 * parent exits.
 */
export class Watchdog {
  #lastLine = 'none';

  constructor(durationMs: number, allowanceMs = ALLOWANCE_MS) {
    const limit = durationMs + allowanceMs;
    setTimeout(() => this.#expire(limit), limit);
  }

  /** Keeps the last line that the run has printed, for the error message. */
  progress(line: string): void {
    this.#lastLine = line;
  }

  #expire(limit: number): void {
    console.error(
      `The run hangs: it has not ended within ${limit / 1_000} s. Last line printed: ${this.#lastLine}`,
    );
    process.exit(2);
  }
}

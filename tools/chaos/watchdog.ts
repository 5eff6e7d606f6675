/** What a run may need beyond its planned duration: everything in it is bounded, and the bounds add up to less, ms. */
const ALLOWANCE_MS = 10 * 60_000;

/**
 * Ends a run that hangs, with exit code 2. Nothing outlives it: each child process has a guard that ends it as soon as its
 * parent has gone.
 */
export class Watchdog {
  #last = 'nothing yet';

  constructor(durationMs: number, allowanceMs = ALLOWANCE_MS) {
    const limit = durationMs + allowanceMs;
    setTimeout(() => this.#bark(limit), limit);
  }

  /** What the run has said. */
  heard(line: string): void {
    this.#last = line;
  }

  #bark(limit: number): void {
    console.error(
      `The run hangs: it has not ended within ${limit / 1_000} s. The last it said: ${this.#last}`,
    );
    process.exit(2);
  }
}

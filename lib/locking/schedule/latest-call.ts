/** Runs one call at a time. Of the calls that come meanwhile, only the latest runs afterwards: they do not pile up. */
export class LatestCall {
  #isRunning = false;
  /** Tells the call that waits whether it may run. */
  #waiting: ((mayRun: boolean) => void) | undefined;

  /** Resolves with undefined as soon as a later call takes the place of this one. */
  async run<T>(call: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.#turn())) return undefined;
    try {
      return await call();
    } finally {
      this.#isRunning = this.#waiting !== undefined;
      this.#waiting?.(true);
      this.#waiting = undefined;
    }
  }

  #turn(): Promise<boolean> {
    if (!this.#isRunning) {
      this.#isRunning = true;
      return Promise.resolve(true);
    }
    this.#waiting?.(false);
    return new Promise((resolve) => (this.#waiting = resolve));
  }
}

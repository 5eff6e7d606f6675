/** What the demo has started, to be ended in every case, last started first. */
export class Stage {
  readonly #open: AsyncDisposable[] = [];
  #closing: Promise<void> | undefined;

  use<T extends AsyncDisposable>(resource: T): T {
    this.#open.push(resource);
    return resource;
  }

  get closing(): boolean {
    return this.#closing !== undefined;
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ctrl-C and its kind: ends everything, then this process. */
  closeOnSignals(): void {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      process.on(signal, () => void this.close().finally(() => process.exit(code)));
    }
  }

  async #close(): Promise<void> {
    for (const resource of this.#open.toReversed()) {
      try {
        await resource[Symbol.asyncDispose]();
      } catch (error) {
        console.error('While tidying up:', error);
      }
    }
  }
}

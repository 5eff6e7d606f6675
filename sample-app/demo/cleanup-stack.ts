/** Disposes of everything that the demo has started, in reverse order. */
export class CleanupStack {
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

  /** On Ctrl-C, SIGTERM and SIGHUP: closes everything, then exits. */
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
        console.error('Error during cleanup:', error);
      }
    }
  }
}

import type { ServerSocket } from './server-socket.interface.js';

/** Joins everything written within one tick of the event loop into one write. */
export class BatchedWriter {
  #corked = false;

  constructor(private readonly socket: ServerSocket) {}

  write(bytes: Buffer): void {
    if (!this.#corked) {
      this.#corked = true;
      this.socket.cork();
      process.nextTick(() => this.flush());
    }
    this.socket.write(bytes);
  }

  flush(): void {
    if (!this.#corked) return;
    this.#corked = false;
    this.socket.uncork();
  }
}

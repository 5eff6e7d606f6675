import { hasCode } from '../client/zookeeper-error.js';

/**
 * Warns once when a server refuses a request that will be repeated until it succeeds. Lost connections are reported elsewhere.
 */
export class RefusalWarning {
  #hasWarned = false;

  constructor(
    private readonly warn: (message: string) => void,
    /** Begins the warning; the error follows. */
    private readonly what: string,
  ) {}

  /** Called with the error of each attempt. */
  failed(error: unknown): void {
    if (this.#hasWarned || hasCode(error, 'CONNECTION_LOSS', 'SESSION_EXPIRED')) return;
    this.#hasWarned = true;
    this.warn(`${this.what}: ${String(error)}`);
  }
}

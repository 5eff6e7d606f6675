import { hasCode } from '../client/zookeeper-error.js';

/** A server that throttles refuses a request once or twice. */
const AGAIN_AND_AGAIN = 3;

/**
 * Warns once when a server refuses a request that will be repeated until it succeeds. Lost connections are reported elsewhere.
 */
export class RefusalWarning {
  #refusals = 0;

  constructor(
    private readonly warn: (message: string) => void,
    /** Begins the warning; the error follows. */
    private readonly what: string,
    /** Called once, when the request has been refused again and again. */
    private readonly refused?: () => void,
  ) {}

  /** Called with the error of each attempt. */
  failed(error: unknown): void {
    if (hasCode(error, 'CONNECTION_LOSS', 'SESSION_EXPIRED')) return;
    this.#refusals += 1;
    if (this.#refusals === 1) this.warn(`${this.what}: ${String(error)}`);
    if (this.#refusals === AGAIN_AND_AGAIN) this.refused?.();
  }
}

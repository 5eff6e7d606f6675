import type { ErrorName } from '../../zookeeper/protocol/error-codes.js';
import type { Operation } from '../wire/operations.js';

/**
 * A request that was answered.
 *
 * @publicApi
 */
export interface RequestRecord {
  /** 0 for a handshake that requests a new session. */
  readonly session: bigint;
  readonly operation: Operation;
  /** Undefined if the request has no path or several. */
  readonly path: string | undefined;
  /**
   * Undefined if it succeeded. Of a transaction, the error of the step that was to blame; `CONNECTION_LOSS` if a connection was
   * refused because its client has seen a later zxid.
   */
  readonly error: ErrorName | undefined;
  /** Last zxid of the server after the request. */
  readonly zxid: bigint;
}

const KEPT = 1_000;

/** Keeps the last requests. */
export class RequestLog {
  #records: RequestRecord[] = [];

  get records(): readonly RequestRecord[] {
    return this.#records.slice(-KEPT);
  }

  add(record: RequestRecord): void {
    this.#records.push(record);
    // Dropped in batches: to copy the array for every request would be slow.
    if (this.#records.length >= 2 * KEPT) this.#records = this.#records.slice(-KEPT);
  }

  clear(): void {
    this.#records = [];
  }
}

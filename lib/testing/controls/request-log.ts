import type { ErrorName } from '../../zookeeper/protocol/error-codes.js';
import type { Operation } from '../wire/operations.js';

/**
 * A request that was answered.
 *
 * @publicApi
 */
export interface RequestRecord {
  /** 0 for a handshake that asks for a new session. */
  readonly session: bigint;
  readonly operation: Operation;
  /** Where the request is about one path. */
  readonly path: string | undefined;
  /** Undefined if it succeeded. */
  readonly error: ErrorName | undefined;
  /** Number of the last transaction afterwards. */
  readonly zxid: bigint;
}

const KEPT = 1_000;

/** The last requests. */
export class RequestLog {
  #records: RequestRecord[] = [];

  get records(): readonly RequestRecord[] {
    return this.#records.slice(-KEPT);
  }

  add(record: RequestRecord): void {
    this.#records.push(record);
    // Not with every one: a server may run for days.
    if (this.#records.length >= 2 * KEPT) this.#records = this.#records.slice(-KEPT);
  }

  clear(): void {
    this.#records = [];
  }
}

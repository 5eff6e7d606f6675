import { ERROR_CODES, type ErrorName } from '../../zookeeper/protocol/error-codes.js';

/** A request failed on the server: the reply has this error instead of a result. The connection stays open. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
  /** As in the reply. */
  readonly code: number;

  constructor(name: ErrorName) {
    super(name);
    this.code = ERROR_CODES[name];
  }
}

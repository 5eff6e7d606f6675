import { ConflictException } from '@nestjs/common';

/** A process wrote after it had lost the lock. */
export class StaleTokenError extends ConflictException {
  override readonly name = 'StaleTokenError';

  constructor(token: bigint, highest: bigint) {
    super(`The printer refused token ${token}: it has seen ${highest}, so the lock has a newer holder`);
  }
}

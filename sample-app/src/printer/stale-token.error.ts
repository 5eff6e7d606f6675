import { ConflictException } from '@nestjs/common';

/** Somebody wrote who no longer held the lock, and did not know it. */
export class StaleTokenError extends ConflictException {
  override readonly name = 'StaleTokenError';

  constructor(token: bigint, highest: bigint) {
    super(`The printer refused token ${token}: it has seen ${highest}, so the lock has a newer holder`);
  }
}

import { LockClosedError } from '../../../lib/locking/errors/lock-closed.error.js';
import { LockUnavailableError } from '../../../lib/locking/errors/lock-unavailable.error.js';
import type { LockService } from '../../../lib/lock.service.js';
import type { Journal } from '../../history/journal.interface.js';

/** The hold of a closed lock that a person has seen. */
export interface SeenHold {
  readonly resource: string;
  readonly token: bigint;
}

/** Frees the lock, if the hold is still the one that was seen. True if the answer has arrived. */
export async function forceLock(
  { resource, token }: SeenHold,
  { service, journal }: { readonly service: LockService; readonly journal: Journal },
): Promise<boolean> {
  try {
    await service.forceRelease(resource, { token });
    return true;
  } catch (error) {
    if (!(error instanceof LockUnavailableError || error instanceof LockClosedError))
      journal.write({ what: 'unhandled', detail: String(error) });
    return false;
  }
}

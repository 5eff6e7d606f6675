import type { GuardedWrite } from '../history/run-history.js';

/** A resource that is written under locks, and rejects stale writes by their tokens. */
export interface Guard {
  /** Sends the write synchronously; resolves with whether it was accepted. */
  write(write: Omit<GuardedWrite, 'at' | 'accepted'>): Promise<boolean>;
}

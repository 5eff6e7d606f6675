import type { TestedLocks } from '../../attempts/tested-locks.interface.js';

/** The locks of a worker. */
export interface ChaosLocks
  extends Omit<TestedLocks, 'callLocked'>, Required<Pick<TestedLocks, 'callLocked'>> {
  /** Ends all sessions. */
  close(): Promise<void>;
}

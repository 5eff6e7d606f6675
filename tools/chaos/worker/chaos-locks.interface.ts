import type { TestedLocks } from '../../attempts/tested-locks.interface.js';

/** The locks of a worker. */
export interface ChaosLocks extends Required<TestedLocks> {
  /** Ends all sessions. */
  close(): Promise<void>;
}

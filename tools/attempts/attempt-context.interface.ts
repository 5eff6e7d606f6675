import type { Clock } from '../../lib/locking/clock.js';
import type { Journal } from '../history/journal.interface.js';
import type { Guard } from './guard.interface.js';
import type { TestedLocks } from './tested-locks.interface.js';

/** What the attempts of a process have in common. */
export interface AttemptContext {
  readonly locks: TestedLocks;
  readonly guard: Guard;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Filled with what aborts the calls that have not ended, by their names. Absent: only plans abort calls. */
  readonly aborts?: Map<string, () => void>;
  /** Resolves at the next `sessionExpired` event. Absent: nested calls are made in the middle of the work. */
  readonly sessionExpired?: () => Promise<void>;
  /** The time between two checks of a hold, ms; absent if something else checks holds. */
  readonly checkInterval?: number;
  /** The defaults of the module, ms. */
  readonly defaults: { readonly wait: number; readonly ttl: number };
  /** Reports that an attempt begins or ends its work under the lock. */
  reportHold(attempt: string, holds: boolean): void;
}

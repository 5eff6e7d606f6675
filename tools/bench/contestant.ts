import type { Subject } from './subjects.js';
import type { Store } from './stores/store.interface.js';
import type { WorkerPool } from './workers/worker-pool.js';

/** A subject with its workers and their servers. */
export interface Contestant {
  readonly subject: Subject;
  readonly store: Store;
  /** The directory or the prefix of its keys. */
  readonly root: string;
  readonly workers: WorkerPool;
}

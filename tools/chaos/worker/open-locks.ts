import { attemptOf } from '../../history/names.js';
import type { TestedLockOptions } from '../../attempts/tested-locks.interface.js';
import type { ChaosLocks } from './chaos-locks.interface.js';
import { openRealLocks } from './real-locks.js';
import { byName, bySequence, NaiveLocks } from './broken-locks/naive-locks.js';
import { removeDeadline } from './broken-locks/no-deadline.js';
import { NoLocks } from './broken-locks/no-locks.js';
import type { WorkerJournal } from './worker-journal.js';
import type { WorkerSettings } from './worker-protocol.js';

/** Creates the lock that the settings name. */
export async function openLocks(settings: WorkerSettings, journal: WorkerJournal): Promise<ChaosLocks> {
  const queued = (resource: string, options: TestedLockOptions): void =>
    journal.write({ what: 'emitted', attempt: attemptOf(options, resource) ?? '', event: 'waiting' });
  switch (settings.lock) {
    case 'real':
      return openRealLocks(settings, journal);
    case 'no-deadline':
      removeDeadline();
      return openRealLocks(settings, journal);
    case 'none':
      return new NoLocks();
    case 'string-sorted':
      return new NaiveLocks(settings, { compare: byName, deletes: 'own' }, queued);
    case 'release-by-key':
      return new NaiveLocks(settings, { compare: bySequence, deletes: 'head' }, queued);
  }
}

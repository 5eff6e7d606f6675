import { createLockService, type LockEvent, type LockService } from '../../../lib/index.js';
import type { ChaosLocks } from './chaos-locks.interface.js';
import type { WorkerJournal } from './worker-journal.js';
import type { WorkerSettings } from './worker-protocol.js';

/** The library, and what its event stream tells. */
export async function openRealLocks(settings: WorkerSettings, journal: WorkerJournal): Promise<ChaosLocks> {
  const { servers, root, sessionTimeout, connectTimeout } = settings;
  const locks = await createLockService({
    connectString: servers.map(({ host, port }) => `${host}:${port}`).join(','),
    root,
    sessionTimeout,
    connectTimeout,
    lazy: true,
    drainTimeout: 1_000,
  });
  locks.events$.subscribe((event) => tell(event, journal));
  return {
    lock: (resource, options) => locks.lock(resource, options),
    tryLock: (resource, options) => locks.tryLock(resource, options),
    withLock: (resource, options, work) => locks.withLock(resource, options, work),
    close: () => close(locks),
  };
}

async function close(locks: LockService): Promise<void> {
  await locks.beforeApplicationShutdown();
  await locks.onApplicationShutdown();
}

function tell(event: LockEvent, journal: WorkerJournal): void {
  switch (event.type) {
    case 'ready':
    case 'resumed':
      return journal.write({
        what: 'connection',
        state: event.type,
        detail: `${event.server} ${event.session} T ${event.sessionTimeout}`,
      });
    case 'suspended':
      return journal.write({ what: 'connection', state: event.type, detail: event.error.message });
    case 'sessionExpired':
      return journal.write({ what: 'connection', state: event.type, detail: '' });
    case 'authenticationFailed':
    case 'closed':
      return;
    default: {
      const requeued = event.type === 'waiting' && event.requeued;
      const reason = event.type === 'lost' ? { detail: event.reason } : {};
      return journal.write({
        what: 'told',
        attempt: event.owner,
        event: event.type,
        ...(requeued ? { requeued } : {}),
        ...reason,
      });
    }
  }
}

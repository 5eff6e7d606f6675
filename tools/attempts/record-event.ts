import type { LockEvent } from '../../lib/index.js';
import type { Journal } from '../history/journal.interface.js';
import { attemptOf } from '../history/names.js';

/** Records an event of the library. */
export function recordEvent(event: LockEvent, journal: Journal): void {
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
      return journal.write({ what: 'connection', state: event.type, detail: event.session });
    case 'authenticationFailed':
    case 'closed':
      return;
    default: {
      const requeued = event.type === 'waiting' && event.requeued;
      const reason = event.type === 'lost' ? { detail: event.reason } : {};
      return journal.write({
        what: 'emitted',
        attempt: attemptOf(event, event.resource) ?? `${event.owner} ${event.purpose ?? ''}`,
        event: event.type,
        ...(requeued ? { requeued } : {}),
        ...reason,
      });
    }
  }
}

import type { LockEvent, ResourceEvent } from './locking/lock-event.interface.js';
import type { LockEvents } from './locking/lock-events.js';
import { escapeControls } from './locking/escape-controls.js';
import { stackOfError, textOfError } from './locking/text-of-error.js';
import type { SafeLogger } from './safe-logger.js';

/**
 * Logs events for operators: lost and restored contact, and every hold that did not end with a release. After the service has
 * closed, only the failures of work that it has left behind, which are to be seen nowhere else.
 */
export function logLockEvents(events: LockEvents, logger: SafeLogger): void {
  events.notable$.subscribe((event) => logEvent(event, logger));
}

function logEvent(event: LockEvent, logger: SafeLogger): void {
  switch (event.type) {
    case 'ready':
      return logger.log(
        `Connected to ZooKeeper ${event.server}, session ${event.session}, timeout ${event.sessionTimeout} ms`,
      );
    case 'resumed':
      return logger.log(`Reconnected to ZooKeeper ${event.server}, same session ${event.session}`);
    case 'suspended':
      return logger.warn(
        `Lost contact with ZooKeeper, which puts held locks at risk: ${event.error.message}`,
      );
    case 'sessionExpired':
      // Each lock that is lost with it is an error of its own.
      return logger.warn(
        `ZooKeeper session ${event.session} has expired: the next locks will be in another one`,
      );
    case 'authenticationFailed':
      return logger.error(
        'ZooKeeper refused the credentials of the `auth` option: these servers will grant no more locks',
      );
    case 'lost':
      return logger.error(
        `${event.error.message} Held for ${Math.round(event.heldMs)} ms, token ${event.fencingToken}${modeOf(event)}`,
      );
    case 'ttlExpired':
      return logger.warn(
        `Lock '${escapeControls(event.resource)}'${modeOf(event)} exceeded its ttl: released after ${Math.round(event.heldMs)} ms, but its work is still running`,
      );
    case 'workRejected':
      return logger.error(
        `Work failed after it lost lock '${escapeControls(event.resource)}'${modeOf(event)}: ${textOfError(event.error)}`,
        stackOfError(event.error),
      );
    default:
  }
}

/** Most locks are exclusive, and not worth a word. */
function modeOf({ mode }: ResourceEvent): string {
  return mode === 'exclusive' ? '' : ` (mode ${mode})`;
}

import type { Logger } from '@nestjs/common';
import type { LockEvent } from './locking/lock-event.interface.js';
import type { LockEvents } from './locking/lock-events.js';
import { escapeControls } from './locking/escape-controls.js';

/** Writes the log lines an operator wants: contact lost and back, and every hold that did not end by a release. */
export function logLockEvents(events: LockEvents, logger: Logger): void {
  events.events$.subscribe((event) => logEvent(event, logger));
}

function logEvent(event: LockEvent, logger: Logger): void {
  switch (event.type) {
    case 'ready':
      return logger.log(
        `Connected to ZooKeeper ${event.server}, session ${event.session}, timeout ${event.sessionTimeout} ms`,
      );
    case 'resumed':
      return logger.log(`Connected to ZooKeeper again, ${event.server}, same session ${event.session}`);
    case 'suspended':
      return logger.warn(`Lost contact with ZooKeeper, held locks are at risk: ${event.error.message}`);
    case 'sessionExpired':
      return logger.error('A session with ZooKeeper has expired: the locks it held are lost');
    case 'authenticationFailed':
      return logger.error('ZooKeeper refused the credentials of the `auth` option: no lock will be granted');
    case 'lost':
      return logger.error(
        `${event.error.message} Held for ${Math.round(event.heldMs)} ms, token ${event.fencingToken}`,
      );
    case 'ttlExpired':
      return logger.warn(
        `Lock '${escapeControls(event.resource)}' outlived its ttl: given up after ${Math.round(event.heldMs)} ms, though its work still runs`,
      );
    case 'workRejected':
      return logger.error(
        `Work that had lost lock '${escapeControls(event.resource)}' failed afterwards: ${String(event.error)}`,
      );
    default:
  }
}

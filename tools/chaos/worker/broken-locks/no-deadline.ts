import { SessionDeadline } from '../../../../lib/zookeeper/session/session-deadline.js';

const FAR_AWAY_MS = 3_600_000;

/** Removes the session deadline from the library: a hold is valid until the server reports the end of its session. */
export function removeDeadline(): void {
  Object.defineProperty(SessionDeadline.prototype, 'deadline', {
    get: () => performance.now() + FAR_AWAY_MS,
  });
}

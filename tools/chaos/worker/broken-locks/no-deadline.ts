import { SessionDeadline } from '../../../../lib/zookeeper/session/session-deadline.js';

const FAR_AWAY_MS = 3_600_000;

/** The library as it would be without its deadline: a session lives until the server says that it does not. */
export function removeDeadline(): void {
  Object.defineProperty(SessionDeadline.prototype, 'deadline', {
    get: () => performance.now() + FAR_AWAY_MS,
  });
}

import { SessionLease } from '../../../../lib/zookeeper/session/session-lease.js';

const FAR_AWAY_MS = 3_600_000;

/** The library as it would be without its deadline: a session lives until the server says that it does not. */
export function removeDeadline(): void {
  Object.defineProperty(SessionLease.prototype, 'deadline', {
    get: () => performance.now() + FAR_AWAY_MS,
  });
}

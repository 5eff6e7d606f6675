import type { ConnectResponse } from '../../../lib/zookeeper/client/replies.js';
import { SessionCredentials } from '../../../lib/zookeeper/client/session-credentials.js';
import type { KnownSession } from '../../../test/support/raw-records.js';

interface Adopting {
  adopt: (this: SessionCredentials, response: ConnectResponse) => void;
}

/** Reports every new session of the library with its password, which a duplicate needs to end the session. */
export function tapSessions(report: (credentials: KnownSession) => void): void {
  const prototype: Adopting = SessionCredentials.prototype;
  const { adopt } = prototype;
  prototype.adopt = function (response) {
    const { sessionId: id, password } = response;
    if (id !== this.sessionId) report({ id, password });
    adopt.call(this, response);
  };
}

import type { ConnectResponse } from '../../../lib/zookeeper/client/replies.js';
import { SessionCredentials } from '../../../lib/zookeeper/client/session-credentials.js';
import type { KnownSession } from '../../../test/support/raw-records.js';

interface Adopting {
  adopt: (this: SessionCredentials, response: ConnectResponse) => void;
}

/** Tells every new session of the library, with the password that it keeps to itself: its twin needs it to end it. */
export function tapSessions(told: (credentials: KnownSession) => void): void {
  const prototype: Adopting = SessionCredentials.prototype;
  const { adopt } = prototype;
  prototype.adopt = function (response) {
    const { sessionId: id, password } = response;
    if (id !== this.sessionId) told({ id, password });
    adopt.call(this, response);
  };
}

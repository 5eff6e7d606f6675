import type { ConnectResponse } from '../../../lib/zookeeper/client/replies.js';
import { SessionIdentity } from '../../../lib/zookeeper/client/session-identity.js';
import type { SessionCredentials } from '../../../test/support/raw-records.js';

interface Adopting {
  adopt: (this: SessionIdentity, response: ConnectResponse) => void;
}

/** Tells every new session of the library, with the password that it keeps to itself: its twin needs it to end it. */
export function tapSessions(told: (credentials: SessionCredentials) => void): void {
  const prototype: Adopting = SessionIdentity.prototype;
  const { adopt } = prototype;
  prototype.adopt = function (response) {
    const { sessionId: id, password } = response;
    if (id !== this.sessionId) told({ id, password });
    adopt.call(this, response);
  };
}

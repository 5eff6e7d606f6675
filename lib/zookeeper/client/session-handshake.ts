import type { Clock } from '../../locking/clock.js';
import { debugStep } from '../debug-log.js';
import { formatSessionId } from '../format-session-id.js';
import type { Connection } from '../session-observer.interface.js';
import { ProtocolError } from './protocol-error.js';
import type { ConnectResponse } from './replies.js';
import { encodeConnectRequest } from './request-encoder.js';
import type { SessionCredentials } from './session-credentials.js';

/** The server accepted the session, does not know it any more, or opened an unknown one in its place. */
type HandshakeOutcome = 'accepted' | 'expired' | 'replaced';

/** The connect request of one connection, and what the answer means for the session. */
export class SessionHandshake {
  /** `Infinity` before the request. */
  #requestedAt = Infinity;

  constructor(
    private readonly session: SessionCredentials,
    private readonly clock: Clock,
    private readonly server: string,
  ) {}

  /** The connect request. Write it now: its time of departure counts. */
  request(): Buffer {
    const { session, server } = this;
    this.#requestedAt = this.clock.elapsed();
    const sessionId = session.exists ? formatSessionId(session.sessionId) : 'new';
    debugStep('connection', 'handshake', () => ({ server, session: sessionId }));
    return encodeConnectRequest(session.connectRequest(this.#requestedAt));
  }

  /** @throws ProtocolError if the server refused to open a first session */
  receive(response: ConnectResponse): HandshakeOutcome {
    const { session } = this;
    const refused = response.timeout <= 0 || response.sessionId === 0n;
    // Without a session there is none to lose: this server is not well, and the next one is tried.
    if (refused && !session.exists) throw new ProtocolError('The server refused to open a session');
    if (refused) return 'expired';
    if (session.exists && response.sessionId !== session.sessionId) return 'replaced';

    session.adopt(response);
    return 'accepted';
  }

  /** The time of the attempt is up. True if the session has to be given up. */
  timeIsUp(): boolean {
    return this.session.unanswered(this.#requestedAt, this.clock.elapsed());
  }

  /** The connection, as observers see it, once the session is accepted. */
  get connection(): Connection {
    const { sessionId, negotiatedTimeout: sessionTimeout } = this.session;
    return { sessionId, sessionTimeout, requestedAt: this.#requestedAt, server: this.server };
  }
}

import type { KnownSession } from '../client/session-credentials.js';
import type { ServerSession } from '../session/server-session.js';
import type { GuardMessage } from './guard-message.js';

/** Tells the guard of this process about each of its sessions: when it has connected, and when it has ended. */
export class GuardedSessions {
  readonly #open = new Map<bigint, KnownSession>();

  constructor(private readonly tell: (message: GuardMessage) => void) {}

  /** What a new guard has to know. */
  get messages(): GuardMessage[] {
    return Array.from(this.#open.values(), (session) => ({ kind: 'opened', session }));
  }

  watch(session: ServerSession): void {
    session.observe({
      connected: ({ sessionId, sessionTimeout }) => {
        const known = { sessionId, sessionTimeout, password: session.client.sessionPassword };
        this.#open.set(sessionId, known);
        this.tell({ kind: 'opened', session: known });
      },
      ended: () => void this.#ended(session),
    });
  }

  /** A process that is killed while it closes a session leaves it to the guard. */
  async #ended(session: ServerSession): Promise<void> {
    await session.closed();
    this.#open.delete(session.id);
    this.tell({ kind: 'ended', sessionId: session.id });
  }
}

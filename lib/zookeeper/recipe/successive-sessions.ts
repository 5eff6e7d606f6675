import type { Abort } from '../../locking/abort.js';
import type { Admission } from '../session/pooled-session.js';
import type { ServerSession } from '../session/server-session.js';
import type { RecipeContext } from './recipe-context.js';

/** The session that requests for a closed lock go to: another one when it has ended. */
export class SuccessiveSessions {
  #admission: Admission | undefined;

  /** @param bytes the room that the lock takes in a session */
  constructor(
    private readonly resource: string,
    private readonly bytes: number,
    admission: Admission,
    private readonly context: RecipeContext,
  ) {
    this.#admission = admission;
  }

  /** Undefined between two sessions, when the last one has ended. */
  get current(): ServerSession | undefined {
    return this.#admission?.session;
  }

  /** The current session, or the next one, however long that takes; undefined when the service has closed. */
  async any(): Promise<ServerSession | undefined> {
    if (this.current !== undefined) return this.current;
    while (this.context.sessions.end === undefined) {
      try {
        return await this.next();
      } catch {
        // There was none for `connectTimeout`.
      }
    }
    return undefined;
  }

  /**
   * The current session when it can be reached, or, when it has ended, another one. While it lives, what has been sent in it may
   * still be executed. Throws as `SessionPool.admit` does.
   */
  async next(abort?: Abort): Promise<ServerSession> {
    const { current } = this;
    if (current !== undefined && (await current.reachable(abort))) return current;
    this.leave();
    const { sessions } = this.context;
    const admission = await sessions.limited(this.resource, abort, (limit) =>
      sessions.admit(this.bytes, limit),
    );
    if (abort?.aborted === true) admission.leave();
    abort?.throwIfAborted();
    // A release may have asked for one at the same time.
    this.leave();
    this.#admission = admission;
    return admission.session;
  }

  /** Resolves when a request can be repeated. */
  async reachable(): Promise<void> {
    if (this.current !== undefined && !(await this.current.reachable())) this.leave();
  }

  leave(): void {
    this.#admission?.leave();
    this.#admission = undefined;
  }
}

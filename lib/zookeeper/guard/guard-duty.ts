import type { Clock } from '../../locking/clock.js';
import type { KnownSession } from '../client/session-credentials.js';
import type { GuardedProcess, GuardMessage } from './guard-message.js';

/** How often a guard whose pipe has ended looks whether the process is dead, ms. */
const LOOK_INTERVAL_MS = 5;

export interface GuardDutyOptions {
  readonly clock: Clock;
  /** Final: once true, no thread of the process runs any more. */
  readonly isDead: (pid: number) => boolean;
  /** Ends a session on a server, within `limit` ms if that is possible. Never rejects. */
  readonly closeSession: (session: KnownSession, process: GuardedProcess, limit: number) => Promise<void>;
}

/**
 * What a crash guard does, without its process: it knows the sessions, and closes them when the process is certainly dead.
 *
 * A process that is stopped, debugged or busy keeps its pipe, so the guard does nothing. The end of the pipe is not enough
 * either: it ends also with the worker thread that opened it, and a moment before the process does. So the guard then waits
 * until the process is dead, but no longer than a server keeps its sessions.
 */
export class GuardDuty {
  readonly #sessions = new Map<bigint, KnownSession>();
  #process: GuardedProcess | undefined;

  constructor(private readonly options: GuardDutyOptions) {}

  receive(message: GuardMessage): void {
    switch (message.kind) {
      case 'guard':
        this.#process = message.process;
        break;
      case 'opened':
        this.#sessions.set(message.session.sessionId, message.session);
        break;
      case 'ended':
        this.#sessions.delete(message.sessionId);
    }
  }

  /** The pipe has ended. Resolves when nothing is left to do. */
  async pipeEnded(): Promise<void> {
    const { clock, closeSession } = this.options;
    const guarded = this.#process;
    if (guarded === undefined) return;
    const close = async (session: KnownSession): Promise<void> => {
      // Without contact the servers expire the session by then.
      const deadline = clock.monotonic() + session.sessionTimeout;
      if (await this.#dies(guarded, deadline))
        await closeSession(session, guarded, deadline - clock.monotonic());
    };
    await Promise.all([...this.#sessions.values()].map(close));
  }

  /** True as soon as the process is dead, false if it is not by the deadline. */
  async #dies({ pid }: GuardedProcess, deadline: number): Promise<boolean> {
    const { clock, isDead } = this.options;
    while (!isDead(pid)) {
      if (clock.monotonic() >= deadline) return false;
      await new Promise<void>((looked) => clock.setTimer(looked, LOOK_INTERVAL_MS, true));
    }
    return true;
  }
}

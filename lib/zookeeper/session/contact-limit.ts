import type { Abort } from '../../locking/abort.js';
import type { Clock, Timer } from '../../locking/clock.js';
import type { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import { LazyAbort } from '../../locking/lazy-abort.js';
import type { ServerSession } from './server-session.js';

export interface ContactLimitOptions {
  readonly clock: Clock;
  /** ms */
  readonly connectTimeout: number;
  /** Why there is no contact, or why there will never be any again. */
  readonly unavailable: (resource: string | undefined) => LockUnavailableError;
  /** False if there will never be a session again. */
  readonly isOpen: () => boolean;
}

/**
 * The abort of a call to the servers: its caller aborts it, or it has had no contact for `connectTimeout`. A handshake is no
 * contact, because servers that commit nothing may accept one after another; the time goes on until something is committed.
 */
export class ContactLimit extends LazyAbort {
  readonly #begun: number;
  readonly #stopListening: (() => void) | undefined;
  #session: ServerSession | undefined;
  #stopObserving: (() => void) | undefined;
  #timer: Timer | undefined;

  constructor(
    readonly resource: string | undefined,
    private readonly options: ContactLimitOptions,
    caller?: Abort,
  ) {
    super();
    this.#begun = options.clock.monotonic();
    this.#stopListening = caller?.onAbort((reason) => this.abort(reason));
  }

  /** The call depends on `session` from now on, and on no other one. Aborts at once if that has been silent for too long. */
  follow(session: ServerSession): void {
    if (session === this.#session) return;
    this.#leave();
    this.#session = session;
    this.#stopObserving = session.observe({
      disconnected: () => this.#limit(session),
      renewed: () => this.#timer?.cancel(),
      ended: () => this.#ended(),
    });
    this.#limit(session);
  }

  /** The call is over. */
  end(): void {
    this.#leave();
    this.#stopListening?.();
  }

  #limit({ outOfContactSince, state }: ServerSession): void {
    this.#timer?.cancel();
    if (outOfContactSince === undefined || state === 'ended' || this.aborted) return;
    const { clock, connectTimeout } = this.options;
    const remaining = Math.max(this.#begun, outOfContactSince) + connectTimeout - clock.monotonic();
    if (remaining > 0) this.#timer = clock.setTimer(() => this.#timeIsUp(), remaining, true);
    else this.#timeIsUp();
  }

  /** If it has expired, another one may follow. */
  #ended(): void {
    this.#timer?.cancel();
    if (!this.options.isOpen()) this.#timeIsUp();
  }

  #timeIsUp(): void {
    this.abort(this.options.unavailable(this.resource));
  }

  #leave(): void {
    this.#timer?.cancel();
    this.#stopObserving?.();
  }
}

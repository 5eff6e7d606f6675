import type { Clock, Timer } from '../../locking/clock.js';
import type { LookupError } from './lookup-error.js';
import type { ResolvedAddress, ServerList } from './server-list.js';

/** The shortest pause after the second short connection in a row, ms; doubled after each further one. */
const SHORT_CONNECTION_PAUSE_MS = 25;
/** However many there were, ms. */
const LONGEST_SHORT_CONNECTION_PAUSE_MS = 500;

export interface ReconnectLoopOptions {
  readonly servers: ServerList;
  readonly clock: Clock;
  /** How long to wait after the n-th round in a row that reached nobody, ms. */
  readonly reconnectDelay: (round: number) => number;
  /** How long name resolution may hold up a round, ms. A connection that ends within this time is a short one. */
  readonly attemptLimit: () => number;
}

export interface ReconnectLoopListener {
  /** Answer with `failed`, or with `connected` and later `lost`. */
  dial(address: ResolvedAddress): void;
  /** A round begins without some of the servers, or all, because their names could not be resolved. */
  lookupFailed(cause: LookupError): void;
}

/**
 * - `idle`: nothing asked yet, or stopped for good.
 * - `resolving`: looking up names for the next round.
 * - `dialling`: the listener tries an address.
 * - `connected`: the listener has a connection.
 * - `waiting`: between two rounds.
 */
type State = 'idle' | 'resolving' | 'dialling' | 'connected' | 'waiting';

/**
 * Decides whom to dial, and when: all servers at once, one after the other, then a pause.
 *
 * A lost connection is replaced at once. If the new one is lost within the time an attempt may take, the pause applies
 * as if the servers were down. It then has a lower bound, because the usual pause is random and may be next to nothing
 * many times in a row: 25 ms, doubled with each further short connection, up to 500 ms or half of an attempt. Otherwise
 * a server that accepts everybody and hangs up on the first request would be dialled many times a second.
 */
export class ReconnectLoop {
  #state: State = 'idle';
  #timer: Timer | undefined;
  #failedRounds = 0;
  #shortConnections = 0;
  #connectedAt = 0;

  constructor(
    private readonly options: ReconnectLoopOptions,
    private readonly listener: ReconnectLoopListener,
  ) {}

  start(): void {
    const { servers, clock, attemptLimit } = this.options;
    const timer = clock.setTimer(() => begin(), attemptLimit());
    const begin = (): void => {
      if (this.#timer === timer) this.#beginRound();
    };
    this.#enter('resolving', timer);
    void servers.refresh().then(begin);
  }

  /** Ends a pause early, and a look-up of names that takes longer than an attempt may take by now. */
  hurry(): void {
    if (this.#state === 'waiting' || this.#state === 'resolving') this.start();
  }

  /** The attempt failed. */
  failed(): void {
    if (this.#state === 'dialling') this.#dialNext();
  }

  connected(): void {
    this.#connectedAt = this.options.clock.monotonic();
    this.#enter('connected');
  }

  lost(): void {
    if (this.#state !== 'connected') return;
    const lasted = this.options.clock.monotonic() - this.#connectedAt >= this.options.attemptLimit();
    this.#shortConnections = lasted ? 0 : this.#shortConnections + 1;
    if (lasted) this.#failedRounds = 0;

    if (this.#shortConnections > 1) this.#pause(this.#shortConnectionPause());
    else this.start();
  }

  stop(): void {
    this.#enter('idle');
  }

  #beginRound(): void {
    const { servers } = this.options;
    servers.startRound();
    this.#enter('dialling');
    const { lookupFailure } = servers;
    if (lookupFailure !== undefined) this.listener.lookupFailed(lookupFailure);
    this.#dialNext();
  }

  #dialNext(): void {
    const address = this.options.servers.next();
    if (address === undefined) this.#pause();
    else this.listener.dial(address);
  }

  /** Half of the default backoff without its jitter, and like it far below the session timeout. */
  #shortConnectionPause(): number {
    const doubled = SHORT_CONNECTION_PAUSE_MS * 2 ** (this.#shortConnections - 2);
    return Math.min(doubled, LONGEST_SHORT_CONNECTION_PAUSE_MS, this.options.attemptLimit() / 2);
  }

  #pause(least = 0): void {
    this.#failedRounds += 1;
    const delay = Math.max(least, this.options.reconnectDelay(this.#failedRounds));
    this.#enter(
      'waiting',
      this.options.clock.setTimer(() => this.start(), delay),
    );
  }

  #enter(state: State, timer?: Timer): void {
    this.#timer?.cancel();
    this.#timer = timer;
    this.#state = state;
  }
}

import type { Abort } from '../../locking/abort.js';
import { abortable } from '../../locking/abortable.js';
import type { Clock, Timer } from '../../locking/clock.js';
import { isolated } from '../../locking/isolated.js';
import { LinkedList, type Linked } from '../../locking/linked-list.js';
import type { ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { debugStep } from '../debug-log.js';
import { formatSessionId } from '../format-session-id.js';
import type { Connection, SessionEnd, SessionObserver } from '../session-observer.interface.js';
import { Heartbeat, heartbeatInterval } from './heartbeat.js';
import { SessionDeadline } from './session-deadline.js';

/** `connecting` until the first handshake; `disconnected` without a connection after it; `ended` is final. */
export type ServerSessionState = 'connecting' | 'connected' | 'disconnected' | 'ended';

export interface ServerSessionOptions {
  readonly clock: Clock;
  /** Since when there was no contact before it. Default: now. */
  readonly outOfContactSince?: number | undefined;
  /** The session timeout asked for, ms. */
  readonly sessionTimeout: number;
  readonly createClient: (observer: SessionObserver) => ZooKeeperClient;
  /** Calls the function that tells all observers of a loss. Default: just that. */
  readonly together?: (tell: () => void) => void;
  /** @param concerns the whole process, or only this session */
  readonly warn: (message: string, concerns: 'process' | 'session') => void;
}

/** Of the session timeout: how late a deadline may be noticed that passed while the machine slept. */
const SLICE_SHARE = 1 / 20;
const SHORTEST_SLICE_MS = 50;

interface Observation extends Linked<Observation> {
  readonly observer: SessionObserver;
}

/** One session on the server, over all its connections, with the heartbeat and the deadline that keep it honest. */
export class ServerSession implements SessionObserver {
  readonly client: ZooKeeperClient;
  readonly #deadline = new SessionDeadline();
  readonly #observers = new LinkedList<Observation>();
  #state: ServerSessionState = 'connecting';
  #timeout: number;
  #heartbeat: Heartbeat | undefined;
  #deadlineTimer: Timer | undefined;
  #deadlinePassed = true;
  #closing: Promise<void> | undefined;
  #end: SessionEnd | undefined;
  /** A heartbeat was late or refused, or the deadline has passed, and none has been acknowledged since. */
  #isSilent = false;
  #outOfContactSince: number | undefined;

  constructor(private readonly options: ServerSessionOptions) {
    this.#timeout = options.sessionTimeout;
    this.#outOfContactSince = options.outOfContactSince ?? options.clock.monotonic();
    this.client = options.createClient(this);
    this.client.connect();
  }

  get id(): bigint {
    return this.client.sessionId;
  }

  get state(): ServerSessionState {
    return this.#state;
  }

  /** True if requests can be sent now. */
  get isConnected(): boolean {
    return this.#state === 'connected' && this.client.connected;
  }

  /** Negotiated session timeout, ms; the one asked for until the first handshake. */
  get timeout(): number {
    return this.#timeout;
  }

  /** Stamp of `Clock.elapsed()` until which the server certainly keeps the session; `-Infinity` after its end. */
  get deadline(): number {
    return this.#deadline.at;
  }

  /** True if the server certainly has the session at this moment. */
  get alive(): boolean {
    return this.options.clock.elapsed() < this.#deadline.at;
  }

  /**
   * True if all heartbeats of the connection were acknowledged in time. A connection proves less: it looks alive for a while after
   * its link has died. The time in which this process stood still, and sent and read nothing, proves nothing (H41).
   */
  get inContact(): boolean {
    // The deadline of a sleeping process may have passed, and nobody knows it yet.
    return !this.isSuspended && !this.#isSilent && (this.alive || this.#deadlinePassed);
  }

  /**
   * Stamp of `Clock.monotonic()`: it has begun or lost a connection then, and no commit has renewed it since. Undefined while
   * it has contact.
   */
  get outOfContactSince(): number | undefined {
    return this.#outOfContactSince;
  }

  /** Nothing has been committed since it began or lost a connection: a handshake alone proves no contact. */
  get isSuspended(): boolean {
    return this.#state !== 'connected' || this.#outOfContactSince !== undefined;
  }

  observe(observer: SessionObserver): () => void {
    const observation: Observation = { observer, previous: undefined, next: undefined };
    this.#observers.push(observation);
    return () => void this.#observers.remove(observation);
  }

  /** True as soon as there is a connection, false once the session has ended. Rejects with the reason of `abort`. */
  async reachable(abort?: Abort): Promise<boolean> {
    abort?.throwIfAborted();
    if (this.#state === 'ended') return false;
    if (this.isConnected) return true;
    return abortable(abort, (resolve) =>
      this.observe({ connected: () => resolve(true), ended: () => resolve(false) }),
    );
  }

  /** How it has ended, if it has: its observers are being told, one after the other. */
  get end(): SessionEnd | undefined {
    return this.#end;
  }

  /** If the deadline has passed, tells the observers that do not know it yet. */
  settle(): void {
    if (this.#end !== undefined || this.#deadlinePassed || this.alive) return;
    this.#deadlinePassed = true;
    this.#isSilent = true;
    this.#debug('deadlinePassed');
    this.#tellLoss((observer) => observer.deadlinePassed?.());
  }

  /** @param end what its observers learn */
  async close(end: SessionEnd = 'closed'): Promise<void> {
    this.#closing = this.client.close();
    this.ended(end);
    await this.#closing;
  }

  /** After its end: settles when the servers have ended it as well, or could not be told in time. */
  async closed(): Promise<void> {
    await this.#closing;
  }

  accepted(connection: Connection): void {
    this.#negotiated(connection);
    this.settle();
    this.#deadline.accepted(connection.requestedAt, connection.sessionTimeout);
    this.settle();
    // An observer may have closed it.
    if (this.#end === undefined && !this.#deadlinePassed) this.#watchDeadline();
  }

  connected(connection: Connection): void {
    if (this.#end !== undefined) return;
    this.#state = 'connected';
    this.#startHeartbeat(connection);
    this.#notify((observer) => observer.connected?.(connection));
  }

  attemptFailed(server: string, cause: Error): void {
    this.#notify((observer) => observer.attemptFailed?.(server, cause));
  }

  disconnected(cause: Error): void {
    if (this.#state === 'ended') return;
    this.#heartbeat?.stop();
    this.#state = 'disconnected';
    this.#outOfContactSince ??= this.options.clock.monotonic();
    this.#notify((observer) => observer.disconnected?.(cause));
  }

  ended(end: SessionEnd): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#heartbeat?.stop();
    this.#deadlineTimer?.cancel();
    this.#deadline.ended();
    this.#end = end;
    this.#tellLoss((observer) => observer.ended?.(end));
    for (const observation of this.#observers) this.#observers.remove(observation);
  }

  #negotiated({ sessionTimeout }: Connection): void {
    const asked = this.options.sessionTimeout;
    if (sessionTimeout !== asked && sessionTimeout !== this.#timeout) {
      this.options.warn(
        `ZooKeeper granted a session timeout of ${sessionTimeout} ms instead of the ${asked} ms asked for; ` +
          'it accepts 2 to 20 of its ticks by default',
        'process',
      );
    }
    this.#timeout = sessionTimeout;
  }

  #startHeartbeat({ server, sessionTimeout }: Connection): void {
    const interval = heartbeatInterval(sessionTimeout, this.options.sessionTimeout);
    this.#heartbeat = new Heartbeat({
      client: this.client,
      clock: this.options.clock,
      server,
      sessionTimeout,
      interval,
      sent: (at) => this.#deadline.sent(at),
      acknowledged: () => this.#renew(),
      late: () => (this.#isSilent = true),
      refused: () => {
        this.#isSilent = true;
        this.#debug('heartbeatRefused');
        this.#deadline.refused();
      },
      lagged: (ms) => {
        this.#debug('eventLoopBlocked', { ms: Math.round(ms) });
        this.options.warn(
          `The event loop was blocked for about ${Math.round(ms)} ms, with a session timeout of ${sessionTimeout} ms: ` +
            'locks are at risk. Move long computations off the main thread or ask for a longer sessionTimeout',
          'process',
        );
      },
      slow: (ms) =>
        this.options.warn(
          `${server} takes about ${Math.round(ms)} ms to commit a heartbeat, which is too long for a session timeout of ${sessionTimeout} ms: ` +
            'locks are lost although there is contact. Ask for a longer sessionTimeout, or check the network and the disks of the servers',
          'session',
        ),
    });
  }

  /** A deadline that has passed stays passed: an acknowledgement that was processed late must not revive anything (H32, H41). */
  #renew(): void {
    this.settle();
    // An observer may have closed it.
    if (this.#end !== undefined) return;
    this.#isSilent = false;
    this.#deadline.acknowledged();
    if (!this.alive) return;
    this.#deadlinePassed = false;
    this.#outOfContactSince = undefined;
    if (this.#deadlineTimer === undefined) this.#watchDeadline();
    this.#notify((observer) => observer.renewed?.());
  }

  /** In slices: timers stand still while the machine sleeps, and the deadline does not (H42). */
  #watchDeadline(): void {
    this.#deadlineTimer?.cancel();
    const { clock } = this.options;
    const slice = Math.max(SHORTEST_SLICE_MS, this.#timeout * SLICE_SHARE);
    const remaining = Math.max(0, Math.ceil(Math.min(slice, this.deadline - clock.elapsed())));
    this.#deadlineTimer = clock.setTimer(() => {
      this.#deadlineTimer = undefined;
      this.settle();
      if (!this.#deadlinePassed) this.#watchDeadline();
    }, remaining);
  }

  #debug(step: string, details: Readonly<Record<string, number>> = {}): void {
    debugStep('session', step, () => ({ session: formatSessionId(this.id), ...details }));
  }

  #tellLoss(tell: (observer: SessionObserver) => void): void {
    const { together = (all: () => void) => all() } = this.options;
    together(() => this.#notify(tell));
  }

  #notify(tell: (observer: SessionObserver) => void): void {
    for (const { observer } of [...this.#observers]) isolated(() => tell(observer));
  }
}

import type { Clock, Timer } from '../../locking/clock.js';
import type { ZooKeeperClient } from '../client/zookeeper-client.interface.js';
import { ZooKeeperError, hasCode } from '../client/zookeeper-error.js';

export interface HeartbeatOptions {
  readonly client: ZooKeeperClient;
  readonly clock: Clock;
  /** `host:port` of the server, for messages. */
  readonly server: string;
  /** Negotiated session timeout, ms. */
  readonly sessionTimeout: number;
  /** Time from the acknowledgement of a heartbeat to the next one, ms. */
  readonly interval: number;
  /** A heartbeat leaves now. */
  sent(at: number): void;
  /** The heartbeat in flight was committed. */
  acknowledged(): void;
  /** The heartbeat in flight is still unanswered when it should not be any more. */
  late(): void;
  /** The heartbeat in flight was refused by a server that is there, for example while it throttles: it proves nothing. */
  refused(): void;
  /** The event loop kept a heartbeat, or its answer, waiting for so long that locks are at risk. */
  lagged(ms: number): void;
  /** The servers take so long to commit heartbeats that the deadline passes between two of them. Called once, and again only after a faster one. */
  slow(ms: number): void;
}

/**
 * Half of the default tick of 3 s, and some more for clocks that differ and timers that are early. ZooKeeper's sample
 * configuration has ticks of 2 s.
 */
const USUAL_HALF_TICK_MS = 1_550;

/**
 * T/6, so that a held lock outlives the loss of its server; but half a tick at least, in which the leader asks a follower
 * for its touches: the deadline rule stands on that. The tick is not known to clients. A timeout is two ticks or more, so
 * T/4 is always enough, and is taken where the server raised the timeout, perhaps to just that.
 */
export function heartbeatInterval(sessionTimeout: number, asked: number): number {
  const longest = sessionTimeout / 4;
  return sessionTimeout > asked
    ? longest
    : Math.min(longest, Math.max(sessionTimeout / 6, USUAL_HALF_TICK_MS));
}

/** What a heartbeat may have to wait behind our own requests before it is answered. */
const LATE_SHARE = 1 / 20;
const UNANSWERED_SHARE = 1 / 4;
/** Leaves time for two heartbeats at another server. */
const REFUSED_SHARE = 1 / 2;
const LAG_SHARE = 1 / 6;
/** A single slow heartbeat may be a pause of a server. */
const SLOW_IN_A_ROW = 3;

/**
 * The longest round trip of heartbeats with which a session keeps its deadline, ms. The acknowledgement of h_k moves the deadline to
 * T after h_(k-2) was sent (H31). That of h_(k+1) comes four round trips and three intervals after the same moment.
 */
function longestRoundTrip(sessionTimeout: number, interval: number): number {
  return (sessionTimeout - 3 * interval) / 4;
}

/**
 * Keeps the session of one connection alive with committed writes, one in flight at a time, and ends a connection whose
 * server is silent for T/4 while one is in flight: a dead link shows no other sign (H30), or refuses them for T/2: another
 * server may commit them. Only answers to requests break
 * the silence, because they come in order: those before a heartbeat show that the server works through what we sent
 * ahead of it (H62), and none overtakes it. Own requests do not postpone it, so that a busy connection cannot starve its
 * session.
 */
export class Heartbeat {
  #timer: Timer | undefined;
  #lateTimer: Timer | undefined;
  #inFlight = false;
  #stopped = false;
  /** Stamp of `Clock.monotonic()`: nothing has been committed since. */
  #refusedSince: number | undefined;
  #slowInARow = 0;

  /** The first one leaves at once. */
  constructor(private readonly options: HeartbeatOptions) {
    void this.#beat(options.clock.monotonic());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#lateTimer?.cancel();
  }

  /** @param due stamp of `Clock.monotonic()` */
  #schedule(due: number): void {
    // Whoever was told of the last one may have ended the session.
    if (this.#stopped) return;
    const { clock } = this.options;
    this.#timer = clock.setTimer(() => this.#due(due), Math.max(0, due - clock.monotonic()));
  }

  /** Timers may be early by two milliseconds, and the interval may be just the half tick that the deadline rule needs. */
  #due(due: number): void {
    if (this.options.clock.monotonic() < due) this.#schedule(due);
    else void this.#beat(due);
  }

  /** @param due stamp of `Clock.monotonic()`: a machine that slept did not block its event loop */
  async #beat(due: number): Promise<void> {
    const { client, clock, interval } = this.options;
    this.#reportLag(due);
    this.options.sent(clock.elapsed());
    this.#inFlight = true;
    const sentAt = clock.monotonic();
    this.#limitDelay();
    this.#limitSilence(sentAt);
    const failure = await client.commit({ priority: 'session' }).then(
      () => undefined,
      (error: unknown) => error,
    );
    this.#inFlight = false;
    this.#timer?.cancel();
    this.#lateTimer?.cancel();
    if (this.#stopped) return;
    // From the server, as the result of the transaction: the next handshake decides whether the session continues.
    if (hasCode(failure, 'CONNECTION_LOSS', 'SESSION_EXPIRED')) return client.dropConnection(failure);
    if (failure === undefined) this.#acknowledged(clock.monotonic() - sentAt);
    else this.#refused(failure);
    this.#schedule(clock.monotonic() + interval);
  }

  #limitDelay(): void {
    const { clock, sessionTimeout } = this.options;
    // The answer may be there already, as below.
    const timeIsUp = () => clock.nextTurn(() => this.#inFlight && !this.#stopped && this.options.late());
    this.#lateTimer = clock.setTimer(timeIsUp, Math.ceil(sessionTimeout * LATE_SHARE));
  }

  /** @param since stamp of `Clock.monotonic()`: the server has answered nothing from then on */
  #limitSilence(since: number): void {
    const { client, clock, sessionTimeout } = this.options;
    const due = Math.max(since + sessionTimeout * UNANSWERED_SHARE, clock.monotonic());
    const judge = (): void => {
      if (this.#stopped || !this.#inFlight) return;
      if (client.answeredAt > since) this.#limitSilence(client.answeredAt);
      else this.#unanswered();
    };
    // After a stall of the event loop its timers come before the sockets: the answer may be there already (H41).
    const timeIsUp = () => {
      this.#reportLag(due);
      clock.nextTurn(judge);
    };
    this.#timer = clock.setTimer(timeIsUp, Math.ceil(due - clock.monotonic()));
  }

  /** @param due when a timer should have come */
  #reportLag(due: number): void {
    const { clock, sessionTimeout } = this.options;
    const lag = clock.monotonic() - due;
    if (lag > sessionTimeout * LAG_SHARE) this.options.lagged(lag);
  }

  /** @param roundTrip ms */
  #acknowledged(roundTrip: number): void {
    this.#refusedSince = undefined;
    const { sessionTimeout, interval } = this.options;
    this.#slowInARow = roundTrip > longestRoundTrip(sessionTimeout, interval) ? this.#slowInARow + 1 : 0;
    if (this.#slowInARow === SLOW_IN_A_ROW) this.options.slow(roundTrip);
    this.options.acknowledged();
  }

  #refused(failure: unknown): void {
    this.options.refused();
    const { clock, sessionTimeout } = this.options;
    this.#refusedSince ??= clock.monotonic();
    const ms = Math.round(clock.monotonic() - this.#refusedSince);
    if (ms >= sessionTimeout * REFUSED_SHARE)
      this.#end(`has refused all heartbeats for ${ms} ms: ${String(failure)}`);
  }

  #unanswered(): void {
    const quarter = Math.round(this.options.sessionTimeout * UNANSWERED_SHARE);
    this.#end(`left a heartbeat unanswered for ${quarter} ms`);
  }

  /** @param how the server has behaved */
  #end(how: string): void {
    this.stop();
    const { client, server } = this.options;
    client.dropConnection(new ZooKeeperError('CONNECTION_LOSS', `${server} ${how}`));
  }
}

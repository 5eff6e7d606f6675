import type { Clock, Timer } from '../../locking/clock.js';
import type { ZooKeeperDriver } from '../driver/zookeeper-driver.interface.js';
import { ZooKeeperError, hasCode } from '../driver/zookeeper-error.js';

export interface HeartbeatOptions {
  readonly driver: ZooKeeperDriver;
  readonly clock: Clock;
  /** Negotiated session timeout, ms. */
  readonly sessionTimeout: number;
  /** Time between two heartbeats, ms. */
  readonly interval: number;
  /** A heartbeat leaves now. */
  sent(at: number): void;
  /** The heartbeat in flight was committed. */
  acknowledged(): void;
  /** The event loop kept the heartbeat waiting for so long that locks are at risk. */
  lagged(ms: number): void;
}

const UNANSWERED_SHARE = 1 / 4;
const LAG_SHARE = 1 / 6;

/**
 * Keeps the session of one connection alive with committed writes, one in flight at a time, and ends a connection that
 * leaves one unanswered for T/4: a dead link shows no other sign (H30). Own requests and incoming events do not
 * postpone it, so that a busy connection cannot starve its session.
 */
export class Heartbeat {
  #timer: Timer | undefined;
  #stopped = false;

  constructor(
    private readonly options: HeartbeatOptions,
    connectedAt: number,
  ) {
    this.#schedule(connectedAt + options.interval);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** @param due stamp of `Clock.elapsed()` */
  #schedule(due: number): void {
    const { clock } = this.options;
    this.#timer = clock.setTimer(() => void this.#beat(due), Math.max(0, due - clock.elapsed()));
  }

  async #beat(due: number): Promise<void> {
    const { driver, clock, sessionTimeout, interval } = this.options;
    const sentAt = clock.elapsed();
    if (sentAt - due > sessionTimeout * LAG_SHARE) this.options.lagged(sentAt - due);
    this.options.sent(sentAt);
    const failure = await driver
      .commit({ deadline: clock.monotonic() + sessionTimeout * UNANSWERED_SHARE })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    if (this.#stopped || hasCode(failure, 'CONNECTION_LOSS', 'SESSION_EXPIRED')) return;
    if (hasCode(failure, 'OPERATION_TIMEOUT')) return this.#unanswered(failure);
    // Any other failure is a server that is there and refuses, for example while it throttles: that proves nothing.
    if (failure === undefined) this.options.acknowledged();
    this.#schedule(Math.max(sentAt + interval, clock.elapsed()));
  }

  #unanswered(cause: unknown): void {
    this.stop();
    const { driver, sessionTimeout } = this.options;
    const quarter = Math.round(sessionTimeout * UNANSWERED_SHARE);
    driver.dropConnection(
      new ZooKeeperError('CONNECTION_LOSS', `the server left a heartbeat unanswered for ${quarter} ms`, {
        cause,
      }),
    );
  }
}

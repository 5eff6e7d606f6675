import type { Clock } from './locking/clock.js';
import type { ConnectionLog } from './locking/connection-log.interface.js';
import { escapeControls } from './locking/escape-controls.js';
import type { SafeLogger } from './safe-logger.js';
import { formatServers, type ServerAddress } from './zookeeper/connect-string.js';

/** Attempts are made several times a second: a warning for each would hide everything else in the log. */
const REPEAT_AFTER_MS = 60_000;

/**
 * Logs connection attempts: the first failure after a connection as a warning, then one warning a minute, and all other
 * failures at level `debug`.
 */
export class LoggedConnection implements ConnectionLog {
  /** Stamp of `Clock.monotonic()`. */
  #warnedAt = -Infinity;
  #unreported = 0;

  constructor(
    private readonly logger: SafeLogger,
    private readonly clock: Clock,
    private readonly servers: readonly ServerAddress[],
  ) {}

  connecting(): void {
    this.logger.log(`Connecting to ZooKeeper at ${formatServers(this.servers)}`);
  }

  connected(): void {
    this.#warnedAt = -Infinity;
    this.#unreported = 0;
  }

  attemptFailed(server: string, cause: Error): void {
    const reason = escapeControls(cause.message.trim());
    const now = this.clock.monotonic();
    if (now - this.#warnedAt < REPEAT_AFTER_MS) {
      this.#unreported += 1;
      this.logger.debug(`Could not connect to ZooKeeper at ${server}: ${reason}`);
      return;
    }
    const others =
      this.#unreported === 0 ? '' : ` (${this.#unreported} more attempts since the last warning)`;
    this.logger.warn(`Could not connect to ZooKeeper at ${server}, will try again: ${reason}${others}`);
    this.#warnedAt = now;
    this.#unreported = 0;
  }
}

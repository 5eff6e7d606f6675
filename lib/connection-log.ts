import type { Clock } from './locking/clock.js';
import type { ConnectionLog } from './locking/connection-log.interface.js';
import { escapeControls } from './locking/escape-controls.js';
import type { SafeLogger } from './safe-logger.js';
import { formatServers, type ServerAddress } from './zookeeper/connect-string.js';

/** Attempts are made several times a second: a line for each would hide everything else in the log. */
const REPEAT_AFTER_MS = 60_000;

interface Failures {
  /** Stamp of `Clock.monotonic()`. */
  readonly warnedAt: number;
  /** Attempts since then. */
  unreported: number;
}

/** Logs connection attempts: of each server the first failure after a connection, and then one a minute, as warnings. */
export class LoggedConnection implements ConnectionLog {
  readonly #failures = new Map<string, Failures>();

  constructor(
    private readonly logger: SafeLogger,
    private readonly clock: Clock,
    private readonly servers: readonly ServerAddress[],
  ) {}

  connecting(): void {
    this.logger.log(`Connecting to ZooKeeper at ${formatServers(this.servers)}`);
  }

  connected(): void {
    this.#failures.clear();
  }

  attemptFailed(server: string, cause: Error): void {
    const now = this.clock.monotonic();
    const before = this.#failures.get(server);
    if (before !== undefined && now - before.warnedAt < REPEAT_AFTER_MS) {
      before.unreported += 1;
      return;
    }
    const others = before === undefined ? '' : ` (attempts since the last warning: ${before.unreported + 1})`;
    const reason = escapeControls(cause.message.trim());
    this.logger.warn(`Could not connect to ZooKeeper at ${server}, will try again: ${reason}${others}`);
    this.#failures.set(server, { warnedAt: now, unreported: 0 });
  }
}

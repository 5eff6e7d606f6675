import { describeValue } from '../locking/describe-value.js';
import { MAX_TIMER_MS } from '../locking/clock.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';

/**
 * Options of `EmbeddedZooKeeper.start`. Times are in ms.
 *
 * @publicApi
 */
export interface EmbeddedZooKeeperOptions {
  /** Port to listen on; 0 takes a free port. @default 0 */
  readonly port?: number;
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /**
   * Unit of time of the server, ms: sessions expire at the end of a tick. Real servers use 2,000 or more.
   *
   * @default 500
   */
  readonly tickTime?: number;
  /** Lower limit for session timeouts, ms. @default 2 ticks */
  readonly minSessionTimeout?: number;
  /** Upper limit for session timeouts, ms. The default is that of a real server with ticks of 2,000. @default 40_000 */
  readonly maxSessionTimeout?: number;
  /**
   * Largest request, in bytes (`jute.maxbuffer` of a real server). A larger one closes the connection.
   *
   * @default 1_048_575
   */
  readonly maxFrameBytes?: number;
  /** Interval of the check for empty containers and expired ttl nodes, ms. Real servers use 60,000. @default 1_000 */
  readonly containerCheckInterval?: number;
  /** Allows nodes with a ttl. Real servers allow them with `extendedTypesEnabled` only. @default true */
  readonly ttlNodes?: boolean;
  /**
   * `manual` stops the server's clock until `advance(ms)`: it governs session expiry and the deletion of containers and
   * ttl nodes. `real` uses the clock of the machine.
   *
   * @default 'real'
   */
  readonly time?: 'real' | 'manual';
  /** Called once at the start with a notice that nothing is durable; `false` for no notice. @default `console.warn` */
  readonly onNotice?: ((notice: string) => void) | false;
}

export type ResolvedEmbeddedZooKeeperOptions = Required<EmbeddedZooKeeperOptions>;

/** A session of 20 ticks must fit into a timer. */
const MAX_TICK_MS = Math.floor(MAX_TIMER_MS / 20);
const MAX_PORT = 65_535;
const MAX_FRAME_BYTES = 2 ** 31 - 1;

/** @throws LockConfigurationError listing every problem */
export function resolveEmbeddedZooKeeperOptions(
  options: EmbeddedZooKeeperOptions = {},
): ResolvedEmbeddedZooKeeperOptions {
  const problems: string[] = [];
  const whole = (
    name: keyof EmbeddedZooKeeperOptions,
    fallback: number,
    min: number,
    max: number,
  ): number => {
    const value: unknown = options[name] ?? fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    problems.push(`${name} must be a whole number from ${min} to ${max}; got ${describeValue(value)}.`);
    return fallback;
  };
  const { host = '127.0.0.1', ttlNodes = true, time = 'real' } = options;
  const { onNotice = (notice: string): void => console.warn(notice) } = options;
  if (typeof host !== 'string' || host === '')
    problems.push(`host must be a host name or an IP address; got ${describeValue(host)}.`);
  if (typeof ttlNodes !== 'boolean')
    problems.push(`ttlNodes must be true or false; got ${describeValue(ttlNodes)}.`);
  if (time !== 'real' && time !== 'manual')
    problems.push(`time must be 'real' or 'manual'; got ${describeValue(time)}.`);
  if (onNotice !== false && typeof onNotice !== 'function')
    problems.push(`onNotice must be a function or false; got ${describeValue(onNotice)}.`);
  const tickTime = whole('tickTime', 500, 1, MAX_TICK_MS);
  const minSessionTimeout = whole('minSessionTimeout', 2 * tickTime, 1, MAX_TIMER_MS);
  const maxSessionTimeout = whole('maxSessionTimeout', Math.max(40_000, minSessionTimeout), 1, MAX_TIMER_MS);
  if (minSessionTimeout > maxSessionTimeout)
    problems.push(
      `minSessionTimeout must not exceed maxSessionTimeout, which is ${maxSessionTimeout}; got ${describeValue(minSessionTimeout)}.`,
    );
  const resolved = {
    port: whole('port', 0, 0, MAX_PORT),
    host,
    tickTime,
    minSessionTimeout,
    maxSessionTimeout,
    maxFrameBytes: whole('maxFrameBytes', 0xfffff, 1, MAX_FRAME_BYTES),
    containerCheckInterval: whole('containerCheckInterval', 1_000, 1, MAX_TIMER_MS),
    ttlNodes,
    time,
    onNotice,
  };
  if (problems.length > 0) throw new LockConfigurationError(problems);
  return resolved;
}

import { describeValue } from '../locking/describe-value.js';
import { MAX_TIMER_MS } from '../locking/clock.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';

/**
 * Options of `EmbeddedZooKeeper.start`. Times are in ms.
 *
 * @publicApi
 */
export interface EmbeddedZooKeeperOptions {
  /** Port to listen on; 0 takes a free one. @default 0 */
  readonly port?: number;
  /** Address to listen on. @default '127.0.0.1' */
  readonly host?: string;
  /** The server's unit of time: sessions end at a full tick. Real servers have 2,000 or more. @default 500 */
  readonly tickTime?: number;
  /** No session gets a shorter timeout. @default 2 ticks */
  readonly minSessionTimeout?: number;
  /** No session gets a longer timeout. As with the longer ticks of most real servers. @default 40_000 */
  readonly maxSessionTimeout?: number;
  /** Largest request, in bytes; a larger one ends the connection. `jute.maxbuffer` of a real server. @default 1_048_575 */
  readonly maxFrameBytes?: number;
  /** How often empty containers and nodes whose ttl is over are removed. A real server: 60,000. @default 1_000 */
  readonly containerCheckInterval?: number;
  /** Whether nodes with a ttl can be made. A real server: only with `extendedTypesEnabled`. @default true */
  readonly ttlNodes?: boolean;
  /**
   * `real`: time passes by itself. `manual`: it stands still until `advance(ms)`, for whatever the server does by time:
   * sessions that expire, nodes that are reaped.
   *
   * @default 'real'
   */
  readonly time?: 'real' | 'manual';
  /** Is told once at the start that nothing is durable. `false` for silence. @default `console.warn` */
  readonly onNotice?: ((notice: string) => void) | false;
}

export type ResolvedEmbeddedZooKeeperOptions = Required<EmbeddedZooKeeperOptions>;

/** So that sessions of 20 ticks can be timed. */
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
    problems.push(`host must be a name or an address; got ${describeValue(host)}.`);
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

import { MAX_TIMER_MS } from '../locking/clock.js';
import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import {
  isText,
  milliseconds,
  mustBe,
  oneOf,
  port,
  trueOrFalse,
  wholeNumber,
} from '../locking/option-checks.js';
import { validateOptions, withDefaults, type OptionTable } from '../locking/option-table.js';
import { assertOptionsObject } from '../locking/options-object.js';

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
const MAX_FRAME_BYTES = 2 ** 31 - 1;
/** As on real servers. */
const MIN_SESSION_TICKS = 2;
/** That of a real server with ticks of 2,000. */
const MAX_SESSION_TIMEOUT_MS = 40_000;

export const EMBEDDED_ZOOKEEPER_OPTIONS = {
  port: { default: 0, check: port(0) },
  host: { default: '127.0.0.1', check: mustBe('a host name or an IP address', isText) },
  tickTime: { default: 500, ...milliseconds({ least: 1, most: MAX_TICK_MS }) },
  minSessionTimeout: milliseconds({ least: 1 }),
  maxSessionTimeout: milliseconds({ least: 1 }),
  maxFrameBytes: { default: 0xfffff, ...wholeNumber('bytes', { least: 1, most: MAX_FRAME_BYTES }) },
  containerCheckInterval: { default: 1_000, ...milliseconds({ least: 1 }) },
  ttlNodes: { default: true, check: trueOrFalse },
  time: { default: 'real', check: oneOf('real', 'manual') },
  onNotice: {
    default: (notice: string): void => console.warn(notice),
    check: mustBe('a function or false', (value) => value === false || typeof value === 'function'),
  },
} satisfies OptionTable<EmbeddedZooKeeperOptions>;

/** @throws LockConfigurationError listing every problem */
export function resolveEmbeddedZooKeeperOptions(
  given: EmbeddedZooKeeperOptions = {},
): ResolvedEmbeddedZooKeeperOptions {
  assertOptionsObject(given, 'An embedded server takes an object of options');
  const problems = validateOptions('option', EMBEDDED_ZOOKEEPER_OPTIONS, given);
  if (problems.length > 0) throw new LockConfigurationError(problems);
  const options = withDefaults(EMBEDDED_ZOOKEEPER_OPTIONS, given);
  const { minSessionTimeout = MIN_SESSION_TICKS * options.tickTime } = options;
  const { maxSessionTimeout = Math.max(MAX_SESSION_TIMEOUT_MS, minSessionTimeout) } = options;
  if (minSessionTimeout <= maxSessionTimeout) return { ...options, minSessionTimeout, maxSessionTimeout };
  throw new LockConfigurationError(
    `\`minSessionTimeout\` must not exceed \`maxSessionTimeout\`, which is ${maxSessionTimeout}: ` +
      `got ${describeValue(minSessionTimeout)}`,
  );
}

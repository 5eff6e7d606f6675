import type {
  FaultAction,
  IncomingRequest,
  TrafficControl,
} from '../../../lib/testing/server/traffic-control.js';
import type { Operation } from '../../../lib/testing/wire/operations.js';
import { ERROR_CODES } from '../../../lib/zookeeper/protocol/error-codes.js';
import type { Random } from '../world/random.js';

const NEVER_THROTTLED: ReadonlySet<Operation> = new Set(['connect', 'auth', 'ping', 'closeSession']);

/**
 * A server under load answers requests that have waited for too long with an error, instead of working on them.
 *
 * @see https://zookeeper.apache.org/doc/r3.8.0/zookeeperAdmin.html `throttledOpWaitTime`
 */
export class Throttling implements TrafficControl {
  readonly delay = 0;

  /** @param settings of the server: the share changes during a run */
  constructor(
    private readonly settings: { readonly throttledShare: number },
    private readonly random: Random,
  ) {}

  decide({ operation }: IncomingRequest): FaultAction {
    const { throttledShare } = this.settings;
    if (throttledShare === 0 || NEVER_THROTTLED.has(operation)) return 'serve';
    return this.random.chance(throttledShare) ? { code: ERROR_CODES.THROTTLED_OP } : 'serve';
  }

  opened(): void {}
  claimed(): void {}
  closed(): void {}
  served(): void {}
}

import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { eventually } from '../support/eventually.js';
import type { Endpoint } from '../support/raw-connection.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** How both servers are set up. */
export interface Settings {
  /** @default 500 */
  readonly tickTime?: number;
  /** @default 1_000 */
  readonly minSessionTimeout?: number;
  /** @default 40_000 */
  readonly maxSessionTimeout?: number;
  /** @default 1_048_575 */
  readonly maxFrameBytes?: number;
  /** Ms. @default long enough that no container is deleted during a scenario */
  readonly containerCheckInterval?: number;
}

export type Server = Endpoint & AsyncDisposable;

/** Settings without which the two servers would differ. */
const DEFAULTS = { containerCheckInterval: 3_600_000 };

/** A real ZooKeeper: what it does is right. */
export async function startReference(settings: Settings): Promise<Server> {
  const { maxFrameBytes, containerCheckInterval, ...rest } = { ...DEFAULTS, ...settings };
  const server = await ZooKeeperServer.start({
    ...rest,
    containerCheckIntervalMs: containerCheckInterval,
    jvm: maxFrameBytes === undefined ? [] : [`-Djute.maxbuffer=${maxFrameBytes}`],
  });
  // The readiness check opened sessions: their ends would be transactions in the middle of a scenario.
  await eventually(async () => /global_sessions\t0\n/.test(await server.fourLetter('mntr')));
  return server;
}

/** The server under test. With `CANDIDATE=real` it is another ZooKeeper, to test the suite itself. */
export function startCandidate(settings: Settings): Promise<Server> {
  if (process.env['CANDIDATE'] === 'real') return startReference(settings);
  return EmbeddedZooKeeper.start({ ...DEFAULTS, ...settings, onNotice: false });
}

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
  /** Ms. @default so long that no container goes while a scenario runs */
  readonly containerCheckInterval?: number;
}

export type Server = Endpoint & AsyncDisposable;

/** Where the two servers would differ by themselves. */
const DEFAULTS = { containerCheckInterval: 3_600_000 };

/** ZooKeeper itself, which is always right. */
export async function startJudge(settings: Settings): Promise<Server> {
  const { maxFrameBytes, containerCheckInterval, ...rest } = { ...DEFAULTS, ...settings };
  const server = await ZooKeeperServer.start({
    ...rest,
    containerCheckIntervalMs: containerCheckInterval,
    jvm: maxFrameBytes === undefined ? [] : [`-Djute.maxbuffer=${maxFrameBytes}`],
  });
  // Sessions of those who looked whether it was ready: their ends would be transactions nobody reckons with.
  await eventually(async () => /global_sessions\t0\n/.test(await server.fourLetter('mntr')));
  return server;
}

/** The server under test; with `CANDIDATE=real` another ZooKeeper, which proves the suite instead. */
export function startCandidate(settings: Settings): Promise<Server> {
  if (process.env['CANDIDATE'] === 'real') return startJudge(settings);
  return EmbeddedZooKeeper.start({ ...DEFAULTS, ...settings, onNotice: false });
}

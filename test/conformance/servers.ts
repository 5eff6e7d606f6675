import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { eventually } from '../support/eventually.js';
import type { Endpoint } from '../support/raw-connection.js';
import { NO_CONTAINER_CHECKS_MS } from '../support/zookeeper-config.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { ModelEnsemble } from './model-ensemble.js';

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
const DEFAULTS = { containerCheckInterval: NO_CONTAINER_CHECKS_MS };

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

/**
 * `real` is another ZooKeeper, to test the suite itself; `model` is a single server of the simulator's model, `follower` a
 * follower in an ensemble of three.
 */
export type Candidate = 'embedded' | 'real' | 'model' | 'follower';

/** The candidate that the environment chooses, if it chooses one. */
export function chosenCandidate(): Candidate | undefined {
  return process.env['CANDIDATE'] as Candidate | undefined;
}

/** Starts a server under test. */
export async function startCandidate(candidate: Candidate, settings: Settings): Promise<Server> {
  switch (candidate) {
    case 'embedded':
      return EmbeddedZooKeeper.start({ ...DEFAULTS, ...settings, onNotice: false });
    case 'real':
      return startReference(settings);
    case 'model':
      return startModel(1, 'leading', settings);
    case 'follower':
      return startModel(3, 'following', settings);
  }
}

async function startModel(size: number, role: 'leading' | 'following', settings: Settings): Promise<Server> {
  const ensemble = await ModelEnsemble.start(size, { ...DEFAULTS, ...settings });
  return { ...ensemble.endpointOf(role), [Symbol.asyncDispose]: () => ensemble[Symbol.asyncDispose]() };
}

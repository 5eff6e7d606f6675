import { randomBytes } from 'node:crypto';
import type { Clock } from '../locking/clock.js';
import { EmbeddedServerControls } from './controls/embedded-server-controls.js';
import { FaultInjector } from './controls/fault-injector.js';
import type { ServerControls } from './controls/server-controls.js';
import type { ResolvedEmbeddedZooKeeperOptions } from './embedded-zookeeper-options.js';
import { answerTo } from './four-letter-words/four-letter-words.js';
import { Connection } from './server/connection.js';
import { StandaloneQuorum } from './server/standalone-quorum.js';
import { TcpServer } from './server/tcp-server.js';
import { ZooKeeperService } from './server/zookeeper-service.js';
import { SessionIds } from './sessions/session-ids.js';
import { SessionTable } from './sessions/session-table.js';
import { ManualClock } from './time/manual-clock.js';
import { PausableClock } from './time/pausable-clock.js';
import { RealClock } from './time/real-clock.js';
import { Store } from './transactions/store.js';

/** The number of a server that has no ensemble. */
const SERVER_NUMBER = 1;

/** The parts of one embedded server. */
export interface ServerParts {
  /** The clock of the test; unlike the clock of the service it runs while the server is paused. */
  readonly clock: Clock;
  readonly service: ZooKeeperService;
  readonly controls: ServerControls;
  readonly tcpServer: TcpServer;
  /** The port is 0 until the server listens. */
  readonly endpoint: { port: number };
}

export function assemble(options: ResolvedEmbeddedZooKeeperOptions): ServerParts {
  const testClock: Clock =
    options.time === 'manual' ? new ManualClock(() => service.traffic) : new RealClock();
  const clock = new PausableClock(testClock);
  const store = new Store(clock, options.ttlNodes);
  const sessions = new SessionTable();
  const faults = new FaultInjector();
  const endpoint = { port: 0 };
  const service: ZooKeeperService = new ZooKeeperService({
    ...options,
    clock,
    store,
    sessions,
    sessionIds: new SessionIds(SERVER_NUMBER, clock.wall()),
    randomBytes,
    quorum: (member) => new StandaloneQuorum({ ...options, clock, store, sessions }, member),
    control: faults,
    answerWord: (word) => answerTo(word, context),
  });
  const context = { service, options, endpoint, startedAt: testClock.monotonic() };
  const connectionOptions = { clock, maxFrameBytes: options.maxFrameBytes, delay: () => faults.delay };
  const tcpServer = new TcpServer((socket) =>
    service.opened(new Connection(socket, connectionOptions, service)),
  );
  return {
    clock: testClock,
    service,
    controls: new EmbeddedServerControls(service, faults),
    tcpServer,
    endpoint,
  };
}

import { SystemClock, type Clock } from '../locking/clock.js';
import { EmbeddedServerControls } from './controls/embedded-server-controls.js';
import { FaultInjector } from './controls/fault-injector.js';
import type { ServerControls } from './controls/server-controls.js';
import type { ResolvedEmbeddedZooKeeperOptions } from './embedded-zookeeper-options.js';
import { answerTo } from './four-letter-words/four-letter-words.js';
import { Connection } from './server/connection.js';
import { TcpServer } from './server/tcp-server.js';
import { ZooKeeperService } from './server/zookeeper-service.js';
import { ManualClock } from './time/manual-clock.js';

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
  const clock: Clock = options.time === 'manual' ? new ManualClock(() => service.traffic) : new SystemClock();
  const faults = new FaultInjector();
  const endpoint = { port: 0 };
  const service: ZooKeeperService = new ZooKeeperService({ ...options, clock }, faults, (word) =>
    answerTo(word, context),
  );
  const context = { service, options, endpoint, startedAt: clock.monotonic() };
  const connectionOptions = {
    clock: service.clock,
    maxFrameBytes: options.maxFrameBytes,
    delay: () => faults.delay,
  };
  const tcpServer = new TcpServer((socket) =>
    service.opened(new Connection(socket, connectionOptions, service)),
  );
  return { clock, service, controls: new EmbeddedServerControls(service, faults), tcpServer, endpoint };
}

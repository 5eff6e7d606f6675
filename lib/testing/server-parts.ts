import { SystemClock, type Clock } from '../locking/clock.js';
import { FaultInjector } from './controls/fault-injector.js';
import type { ResolvedEmbeddedZooKeeperOptions } from './embedded-zookeeper-options.js';
import { ZooKeeperService } from './server/zookeeper-service.js';
import { ManualClock } from './time/manual-clock.js';
import { answerTo } from './four-letter-words/four-letter-words.js';

/** The parts of one embedded server, put together. */
export interface ServerParts {
  /** As its owner sees it: it goes on while the server is paused. */
  readonly clock: Clock;
  readonly service: ZooKeeperService;
  readonly controls: FaultInjector;
  readonly endpoint: { port: number };
}

export function assemble(options: ResolvedEmbeddedZooKeeperOptions): ServerParts {
  const clock: Clock = options.time === 'manual' ? new ManualClock(() => service.traffic) : new SystemClock();
  const controls = new FaultInjector();
  const endpoint = { port: 0 };
  const service: ZooKeeperService = new ZooKeeperService({ ...options, clock }, controls, (word) =>
    answerTo(word, context),
  );
  const context = { service, options, endpoint, startedAt: clock.monotonic() };
  return { clock, service, controls, endpoint };
}

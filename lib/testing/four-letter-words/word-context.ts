import type { ResolvedEmbeddedZooKeeperOptions } from '../embedded-zookeeper-options.js';
import type { ZooKeeperService } from '../server/zookeeper-service.js';

/** What the answers to four-letter words report on. */
export interface WordContext {
  readonly service: ZooKeeperService;
  readonly options: Pick<
    ResolvedEmbeddedZooKeeperOptions,
    'tickTime' | 'minSessionTimeout' | 'maxSessionTimeout'
  >;
  readonly endpoint: { readonly port: number };
  /** Time of the monotonic clock, ms. */
  readonly startedAt: number;
}

/** Behaves like 3.8.0. */
export const VERSION = '3.8.0-embedded, built on 2026-01-01 00:00 UTC';

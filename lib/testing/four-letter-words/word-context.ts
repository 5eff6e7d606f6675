import type { ServiceOptions, ZooKeeperService } from '../server/zookeeper-service.js';

/** What the text interface tells about. */
export interface WordContext {
  readonly service: ZooKeeperService;
  readonly options: Pick<ServiceOptions, 'tickTime' | 'minSessionTimeout' | 'maxSessionTimeout'>;
  readonly endpoint: { readonly port: number };
  /** By the monotonic clock. */
  readonly startedAt: number;
}

/** 3.8.0, and no real one. */
export const VERSION = '3.8.0-embedded, built on 2026-01-01 00:00 UTC';

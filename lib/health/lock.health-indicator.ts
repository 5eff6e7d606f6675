import { Injectable } from '@nestjs/common';
import type { ConnectionState } from '../locking/lock-event.interface.js';
import { LockService } from '../lock.service.js';

/** The shape `@nestjs/terminus` expects of an indicator. */
export type LockHealth<Key extends string> = Record<
  Key,
  { readonly status: 'up' | 'down'; readonly state: ConnectionState }
>;

/**
 * Tells a health check whether ZooKeeper can be reached.
 *
 * @publicApi
 * @example
 * @HealthCheck() @Get('health')
 * check() {
 *   return this.health.check([() => this.lockHealth.check('locks')]);
 * }
 */
@Injectable()
export class LockHealthIndicator {
  constructor(private readonly locks: LockService) {}

  /** Up if connected; `state` says why not. */
  check<Key extends string>(key: Key): LockHealth<Key> {
    const { state } = this.locks;
    const health = { status: state === 'connected' ? 'up' : 'down', state } as const;
    return { [key]: health } as LockHealth<Key>;
  }
}

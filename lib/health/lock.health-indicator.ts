import { Injectable } from '@nestjs/common';
import type { ConnectionState } from '../locking/lock-event.interface.js';
import { LockService } from '../lock.service.js';

/** The result of a check, in the shape that `@nestjs/terminus` expects. */
export type LockHealth<Key extends string> = Record<
  Key,
  { readonly status: 'up' | 'down'; readonly state: ConnectionState }
>;

/**
 * A health indicator for `@nestjs/terminus` that reports whether the lock service is connected to ZooKeeper.
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

  /** Returns status `up` if the lock service is connected, and `down` otherwise, with the `state` of the connection. */
  check<Key extends string>(key: Key): LockHealth<Key> {
    const { state } = this.locks;
    const health = { status: state === 'connected' ? 'up' : 'down', state } as const;
    return { [key]: health } as LockHealth<Key>;
  }
}

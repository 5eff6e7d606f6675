import { Injectable, Optional } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { ConnectionState } from '../locking/lock-event.interface.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../locking/escape-controls.js';
import { getLockServiceToken } from '../lock.constants.js';
import { LockService } from '../lock.service.js';
import { assertServiceOptions } from '../options/service-option.js';

/**
 * Result of `LockHealthIndicator`, in the shape that `@nestjs/terminus` expects.
 *
 * @publicApi
 */
export type LockHealth<Key extends string> = Record<
  Key,
  { readonly status: 'up' | 'down'; readonly state: ConnectionState }
>;

/** Options of `LockHealthIndicator.check`. @publicApi */
export interface LockHealthOptions {
  /** Name of the lock service, as given to `LockModule.forRoot({ name })`. @default the service without a name */
  readonly service?: string;
}

/**
 * A health indicator for `@nestjs/terminus` that reports whether the lock service is connected to ZooKeeper and
 * takes calls.
 *
 * @publicApi
 * @example
 * @HealthCheck() @Get('health')
 * check() {
 *   return this.health.check([
 *     () => this.lockHealth.check('locks'),
 *     () => this.lockHealth.check('reports', { service: 'reports' }),
 *   ]);
 * }
 */
@Injectable()
export class LockHealthIndicator {
  constructor(
    @Optional() private readonly locks?: LockService,
    @Optional() private readonly modules?: ModuleRef,
  ) {}

  /**
   * Returns status `up` if the lock service is connected, and `down` otherwise, with the `state` of the connection. A service
   * that has begun to close takes no more calls: it is `down` from then on, also while it is still `connected`.
   *
   * @param key name of this check in the answer
   * @throws LockConfigurationError if no such service is registered, or an option is invalid
   */
  check<Key extends string>(key: Key, options: LockHealthOptions = {}): LockHealth<Key> {
    assertServiceOptions('LockHealthIndicator.check', options);
    const { state, isClosing } = this.serviceOf(options);
    const health = { status: state === 'connected' && !isClosing ? 'up' : 'down', state } as const;
    return { [key]: health } as LockHealth<Key>;
  }

  private serviceOf({ service }: LockHealthOptions): LockService {
    const found = service === undefined && this.locks ? this.locks : this.registered(service);
    if (found !== undefined) return found;
    throw new LockConfigurationError(
      service === undefined
        ? "No lock service without a name is registered. Name the one to check, as in check('locks', { service: 'reports' })"
        : `No lock service with the name '${escapeControls(service)}' is registered. Check the \`name\` in LockModule.forRoot`,
    );
  }

  /** Finds the services of modules that are not global, too. */
  private registered(name: string | undefined): LockService | undefined {
    try {
      return this.modules?.get(getLockServiceToken(name), { strict: false });
    } catch {
      return undefined;
    }
  }
}

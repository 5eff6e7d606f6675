import type { InjectionToken, Provider } from '@nestjs/common';
import { createLockService } from './create-lock-service.js';
import { LockHealthIndicator } from './health/lock.health-indicator.js';
import type { LockModuleOptions } from './interfaces/lock-module-options.interface.js';
import { LOCK_MODULE_OPTIONS, getLockServiceToken } from './lock.constants.js';

/** The providers of one `LockModule`. Everything hangs on the service, so that overriding it leaves no connection. */
export function lockProviders(name: string | undefined): {
  providers: Provider[];
  exports: InjectionToken[];
} {
  const service: Provider = {
    provide: getLockServiceToken(name),
    useFactory: (options: LockModuleOptions) => createLockService(options, name),
    inject: [LOCK_MODULE_OPTIONS],
  };
  if (name !== undefined) return { providers: [service], exports: [getLockServiceToken(name)] };
  return { providers: [service, LockHealthIndicator], exports: [getLockServiceToken(), LockHealthIndicator] };
}

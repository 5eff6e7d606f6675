import type { InjectionToken, Provider } from '@nestjs/common';
import { BIND_SOCKET_CALLERS } from './callers/bind-socket-callers.js';
import { openLockService } from './create-lock-service.js';
import { DEFAULT_EXCEPTION_FILTER } from './filters/default-exception-filter.js';
import { LockHealthIndicator } from './health/lock.health-indicator.js';
import type { LockEnvironment } from './interfaces/lock-environment.interface.js';
import type { LockModuleExtras, LockModuleOptions } from './interfaces/lock-module-options.interface.js';
import { LOCK_ENVIRONMENT, LOCK_MODULE_OPTIONS, getLockServiceToken } from './lock.constants.js';

/** The providers of one `LockModule`. Everything hangs on the service, so that overriding it leaves no connection. */
export function lockProviders({ name, exceptionFilter = true }: LockModuleExtras): {
  providers: Provider[];
  exports: InjectionToken[];
} {
  const filter = exceptionFilter ? DEFAULT_EXCEPTION_FILTER : [];
  const enhancers = [...filter, BIND_SOCKET_CALLERS];
  const service: Provider = {
    provide: getLockServiceToken(name),
    useFactory: (options: LockModuleOptions, environment?: LockEnvironment) =>
      openLockService(options, name, environment),
    inject: [LOCK_MODULE_OPTIONS, { token: LOCK_ENVIRONMENT, optional: true }],
  };
  if (name !== undefined) return { providers: [service, ...enhancers], exports: [getLockServiceToken(name)] };
  return {
    providers: [service, ...enhancers, LockHealthIndicator],
    exports: [getLockServiceToken(), LockHealthIndicator],
  };
}

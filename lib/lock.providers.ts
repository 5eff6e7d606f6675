import type { InjectionToken, Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { BIND_SOCKET_CALLERS } from './callers/bind-socket-callers.js';
import { prepareLockService } from './create-lock-service.js';
import { DEFAULT_EXCEPTION_FILTER } from './filters/default-exception-filter.js';
import { LockHealthIndicator } from './health/lock.health-indicator.js';
import type { LockEnvironment } from './lock-environment.interface.js';
import type { LockModuleExtras, LockModuleOptions } from './options/lock-module-options.interface.js';
import { LOCK_ENVIRONMENT, LOCK_MODULE_OPTIONS, getLockServiceToken } from './lock.constants.js';
import type { LockService } from './lock.service.js';
import { assertSoleRegistration } from './discovery/sole-registration.js';

/** The providers of one `LockModule`. Everything hangs on the service, so that overriding it leaves no connection. */
export function lockProviders({ name, exceptionFilter = true }: LockModuleExtras): {
  providers: Provider[];
  exports: InjectionToken[];
} {
  const filter = exceptionFilter ? DEFAULT_EXCEPTION_FILTER : [];
  const enhancers = [...filter, BIND_SOCKET_CALLERS];
  const service: Provider = {
    provide: getLockServiceToken(name),
    useFactory: (options: LockModuleOptions, modules: ModulesContainer, environment?: LockEnvironment) => {
      assertSoleRegistration(modules, name);
      const prepared = prepareLockService(options, name, environment);
      return environment === undefined ? prepared : connected(prepared);
    },
    inject: [LOCK_MODULE_OPTIONS, ModulesContainer, { token: LOCK_ENVIRONMENT, optional: true }],
  };
  if (name !== undefined) return { providers: [service, ...enhancers], exports: [getLockServiceToken(name)] };
  return {
    providers: [service, ...enhancers, LockHealthIndicator],
    exports: [getLockServiceToken(), LockHealthIndicator],
  };
}

/** Many tests only compile their module and never initialise it: they find a session all the same. */
async function connected(service: LockService): Promise<LockService> {
  await service.onModuleInit();
  return service;
}

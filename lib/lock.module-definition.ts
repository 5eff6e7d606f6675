import { ConfigurableModuleBuilder, type InjectionToken, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { BIND_SOCKET_CALLERS } from './callers/bind-socket-callers.js';
import { prepareLockService } from './create-lock-service.js';
import { applicationScope } from './discovery/application-scope.js';
import { LEADER_METHODS, leaderMethods } from './discovery/leader-methods.js';
import { SCHEDULED_METHODS, scheduledMethods } from './discovery/scheduled-methods.js';
import { assertSoleRegistration } from './discovery/sole-registration.js';
import { DEFAULT_EXCEPTION_FILTER } from './filters/default-exception-filter.js';
import { LockHealthIndicator } from './health/lock.health-indicator.js';
import type { LockEnvironment } from './lock-environment.interface.js';
import { assertOptionsObject } from './locking/options-object.js';
import type { LockModuleExtras } from './options/lock-module-extras.interface.js';
import type { LockModuleOptions } from './options/lock-module-options.js';
import { resolveModuleExtras } from './options/module-extras.js';
import { LOCK_ENVIRONMENT, LOCK_MODULE_OPTIONS, getLockServiceToken } from './lock.constants.js';
import type { LockService } from './lock.service.js';

const NOTHING_RETURNED =
  "The factory of `LockModule.forRootAsync` must return an object of options, such as { connectString: 'localhost:2181' }";

export const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<LockModuleOptions>({
  optionsInjectionToken: LOCK_MODULE_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setExtras<LockModuleExtras>(
    { isGlobal: undefined, name: undefined, exceptionFilter: undefined },
    (definition, given) => {
      const extras = resolveModuleExtras(given);
      const { providers, exports } = lockProviders(extras);
      return {
        ...definition,
        global: extras.isGlobal,
        providers: [...(definition.providers ?? []), ...providers],
        exports,
      };
    },
  )
  .build();

/** What connects depends on the service, so overriding the service leaves no connection behind. */
function lockProviders({ name, exceptionFilter }: LockModuleExtras): {
  providers: Provider[];
  exports: InjectionToken[];
} {
  const filter = exceptionFilter ? DEFAULT_EXCEPTION_FILTER : [];
  const enhancers = [...filter, BIND_SOCKET_CALLERS];
  const service: Provider = {
    provide: getLockServiceToken(name),
    useFactory: (options: LockModuleOptions, module: ModuleRef, environment?: LockEnvironment) => {
      assertOptionsObject(options, NOTHING_RETURNED);
      assertSoleRegistration(module, name);
      const prepared = prepareLockService(options, name, environment);
      return environment === undefined ? prepared : connected(prepared);
    },
    inject: [LOCK_MODULE_OPTIONS, ModuleRef, { token: LOCK_ENVIRONMENT, optional: true }],
  };
  const leaders: Provider = {
    provide: LEADER_METHODS,
    useFactory: (module: ModuleRef, locks: LockService) => leaderMethods(module, locks, name),
    inject: [ModuleRef, getLockServiceToken(name)],
  };
  const scheduled: Provider = {
    provide: SCHEDULED_METHODS,
    useFactory: (module: ModuleRef) => scheduledMethods(module, name),
    inject: [ModuleRef, getLockServiceToken(name)],
  };
  // Needs no service, because Nest would not make it at the start either.
  const scope: Provider = {
    provide: Symbol('nestjs-locked:application-scope'),
    useFactory: (module: ModuleRef) => applicationScope(module, name),
    inject: [ModuleRef],
  };
  return {
    providers: [service, scope, leaders, scheduled, ...enhancers, LockHealthIndicator],
    exports: [getLockServiceToken(name), LockHealthIndicator],
  };
}

/** Connects before `onModuleInit`, because many tests compile their module without ever initializing it. */
async function connected(service: LockService): Promise<LockService> {
  await service.onModuleInit();
  return service;
}

import type { OnModuleInit } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { getLockServiceToken } from '../lock.constants.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { applicationModules } from './application-modules.js';

/**
 * Checks at the start of the application that the lock service `name` is one for all requests. With options of a request, each
 * request would have a session of its own, which nobody closes.
 */
export function applicationScope(module: ModuleRef, name: string | undefined): OnModuleInit {
  return {
    /** @throws LockConfigurationError if the options of `LockModule` need a request-scoped provider */
    onModuleInit: () => {
      const services = applicationModules(module).flatMap(
        ({ providers }) => providers.get(getLockServiceToken(name)) ?? [],
      );
      if (services.every((wrapper) => wrapper.isDependencyTreeStatic())) return;
      throw new LockConfigurationError(
        'The options of `LockModule` need a request-scoped provider, so that each request would have a session of its own with ' +
          'ZooKeeper. `inject` only providers with the default scope; for names that depend on the request, such as those of a ' +
          'tenant, use the name of the lock',
      );
    },
  };
}

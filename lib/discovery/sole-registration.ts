import type { ModuleRef } from '@nestjs/core';
import { applicationModules } from './application-modules.js';
import type { LockModuleOptions } from '../options/lock-module-options.js';
import { LOCK_MODULE_OPTIONS, getLockServiceToken } from '../lock.constants.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { resolveModuleOptions } from '../options/resolve-module-options.js';
import { formatServers } from '../zookeeper/connect-string.js';

/**
 * Refuses a second registration of the same name: each would have its own session and root, so locks of one would not
 * exclude locks of the other. Nest itself deduplicates a dynamic module that is in two `imports`.
 *
 * Called when the options of a registration are known, so the second registration finds the options of the first.
 *
 * @throws LockConfigurationError naming both registrations
 */
export function assertSoleRegistration(module: ModuleRef, name: string | undefined): void {
  const registered = applicationModules(module)
    .filter(({ providers }) => providers.has(getLockServiceToken(name)))
    .map(
      ({ providers }) => providers.get(LOCK_MODULE_OPTIONS)?.instance as LockModuleOptions | null | undefined,
    )
    .filter((options) => options !== undefined && options !== null);
  if (registered.length < 2) return;
  throw new LockConfigurationError(
    `LockModule is registered ${registered.length} times ${name === undefined ? 'without a name' : `with the name '${name}'`}: ` +
      `${registered.map(describePlace).join(' and ')}. A lock of one would not exclude the same lock of the other. ` +
      'Register it once, in the root module, because it is global; or give each further one a unique `name`, and select it with ' +
      "`@Locked(resource, { service: 'name' })` and `@InjectLockService('name')`",
  );
}

function describePlace(options: LockModuleOptions): string {
  return resolveModuleOptions(options)
    .ensembles.map(({ servers, root }) => `${formatServers(servers)}, locks below '${root}'`)
    .join('; ');
}

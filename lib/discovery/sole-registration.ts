import type { ModulesContainer } from '@nestjs/core';
import { applicationModules } from './application-modules.js';
import type { LockModuleOptions } from '../options/lock-module-options.interface.js';
import { LOCK_MODULE_OPTIONS, getLockServiceToken } from '../lock.constants.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { resolveModuleOptions } from '../options/resolve-module-options.js';
import { formatServers } from '../zookeeper/connect-string.js';

/**
 * Refuses a second registration of one name: the two would have a session and a root each, and no lock of one would
 * exclude a lock of the other. Nest itself takes the same dynamic module in two `imports` for one.
 *
 * Called when a registration knows its options. Of two, the later one finds those of the earlier.
 *
 * @throws LockConfigurationError naming both
 */
export function assertSoleRegistration(modules: ModulesContainer, name: string | undefined): void {
  const registered = (applicationModules(modules) ?? [])
    .filter(({ providers }) => providers.has(getLockServiceToken(name)))
    .map(
      ({ providers }) => providers.get(LOCK_MODULE_OPTIONS)?.instance as LockModuleOptions | null | undefined,
    )
    .filter((options) => options !== undefined && options !== null);
  if (registered.length < 2) return;
  throw new LockConfigurationError(
    `LockModule is registered ${registered.length} times ${name === undefined ? 'without a name' : `with the name '${name}'`}: ` +
      `${registered.map(describePlace).join(' and ')}. A lock of one would not exclude the same lock of the other. ` +
      'Register it once, in the root module, for it is global; or give each other one a `name` of its own, and say which one to use with ' +
      "`@Locked(resource, { service: 'name' })` and `@InjectLockService('name')`",
  );
}

function describePlace(options: LockModuleOptions): string {
  const { servers, root } = resolveModuleOptions(options);
  return `${formatServers(servers)}, locks below '${root}'`;
}

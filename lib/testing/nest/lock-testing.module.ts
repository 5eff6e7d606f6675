import { Global, Module, type DynamicModule } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { applicationModules } from '../../discovery/application-modules.js';
import type { LockEnvironment } from '../../lock-environment.interface.js';
import { LOCK_ENVIRONMENT } from '../../lock.constants.js';
import { LockConfigurationError } from '../../locking/errors/lock-configuration.error.js';
import { withInherited } from '../../locking/inherited-options.js';
import { assertOptionsObject } from '../../locking/options-object.js';
import { EmbeddedZooKeeper } from '../embedded-zookeeper.js';
import { EMBEDDED_ZOOKEEPER_OPTIONS, type EmbeddedZooKeeperOptions } from '../embedded-zookeeper-options.js';
import { LockTesting } from './lock-testing.js';

/**
 * Connects every `LockModule` of an application under test to an embedded ZooKeeper server, which starts and stops
 * with the testing module. It also stands for a list of ensembles. The other options of the modules stay as they are, except
 * that `tls` is ignored, the chroot is always created, and no `crashGuard` runs. Import it once, next to the application's
 * modules: it is global.
 *
 * @publicApi
 * @example
 * const module = await Test.createTestingModule({ imports: [AppModule, LockTestingModule.forRoot()] }).compile();
 * const testing = module.get(LockTesting);
 */
// The provider of `forRoot` replaces this one. Without `forRoot` it throws, before a lock service connects to other servers.
@Global()
@Module({
  providers: [{ provide: LOCK_ENVIRONMENT, useFactory: refuseToRunWithoutServer }],
  exports: [LOCK_ENVIRONMENT],
})
export class LockTestingModule {
  /**
   * @param options of the server; with `time: 'manual'` its clock stops until `testing.advance(ms)`
   * @throws LockConfigurationError when the testing module is compiled, if an option is invalid, or if it imports the results
   *   of several calls
   */
  static forRoot(options: EmbeddedZooKeeperOptions = {}): DynamicModule {
    const startTesting = async (module: ModuleRef) => {
      assertSoleImport(module);
      assertOptionsObject(options, 'LockTestingModule.forRoot takes an object of options');
      const server = withInherited(Object.keys(EMBEDDED_ZOOKEEPER_OPTIONS), options);
      const zookeeper = await EmbeddedZooKeeper.start({ ...server, onNotice: server.onNotice ?? false });
      return new LockTesting(zookeeper.unref());
    };
    const asEnvironment = (testing: LockTesting): LockEnvironment => testing;
    return {
      module: LockTestingModule,
      providers: [
        { provide: LockTesting, useFactory: startTesting, inject: [ModuleRef] },
        { provide: LOCK_ENVIRONMENT, useFactory: asEnvironment, inject: [LockTesting] },
      ],
      exports: [LockTesting],
    };
  }
}

function refuseToRunWithoutServer(): never {
  throw new LockConfigurationError(
    '`LockTestingModule` is imported without a server, so the application would use the servers of its own configuration. ' +
      'Import `LockTestingModule.forRoot()`',
  );
}

/** With several servers, `LockTesting` would be that of one, and the lock services might be connected to another. */
function assertSoleImport(module: ModuleRef): void {
  const imports = applicationModules(module).filter(({ metatype }) => metatype === LockTestingModule);
  if (imports.length < 2) return;
  throw new LockConfigurationError(
    `LockTestingModule.forRoot() is imported ${imports.length} times, and each import would start a server of its own. Import it ` +
      'once, next to the modules under test, because it is global; or let all of them import the result of one call, such as ' +
      '`export const LOCK_TESTING = LockTestingModule.forRoot()`',
  );
}

import { Module, type DynamicModule } from '@nestjs/common';
import type { LockEnvironment } from '../../lock-environment.interface.js';
import { LOCK_ENVIRONMENT } from '../../lock.constants.js';
import { EmbeddedZooKeeper } from '../embedded-zookeeper.js';
import type { EmbeddedZooKeeperOptions } from '../embedded-zookeeper-options.js';
import { LockTesting } from './lock-testing.js';

/**
 * Connects every `LockModule` of an application under test to an embedded ZooKeeper server, which starts and stops
 * with the testing module. It also stands for a list of ensembles. All other options of the modules stay as they are. Import it next to the application's
 * modules.
 *
 * @publicApi
 * @example
 * const module = await Test.createTestingModule({ imports: [AppModule, LockTestingModule.forRoot()] }).compile();
 * const testing = module.get(LockTesting);
 */
@Module({})
export class LockTestingModule {
  /** @param options of the server; with `time: 'manual'` its clock stops until `testing.advance(ms)` */
  static forRoot(options: EmbeddedZooKeeperOptions = {}): DynamicModule {
    const startTesting = async () => {
      const zookeeper = await EmbeddedZooKeeper.start({ onNotice: false, ...options });
      return new LockTesting(zookeeper.unref());
    };
    const asEnvironment = (testing: LockTesting): LockEnvironment => testing;
    return {
      module: LockTestingModule,
      global: true,
      providers: [
        { provide: LockTesting, useFactory: startTesting },
        { provide: LOCK_ENVIRONMENT, useFactory: asEnvironment, inject: [LockTesting] },
      ],
      exports: [LockTesting, LOCK_ENVIRONMENT],
    };
  }
}

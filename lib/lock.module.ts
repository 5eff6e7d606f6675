import {
  Inject,
  Logger,
  Module,
  type DynamicModule,
  type NestModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { httpCallers } from './callers/http-callers.middleware.js';
import type {
  LockModuleAsyncOptions,
  LockModuleExtras,
  LockModuleOptions,
} from './interfaces/lock-module-options.interface.js';
import { ConfigurableModuleClass } from './lock.module-definition.js';

/**
 * Registers a lock service on ZooKeeper, and with it what `@Locked` needs. Global by default.
 *
 * @publicApi
 */
@Module({})
export class LockModule implements NestModule, OnApplicationBootstrap {
  @Inject() private readonly adapterHost?: HttpAdapterHost;

  /**
   * @throws LockConfigurationError at the start of the application, listing every bad option
   * @throws LockUnavailableError at the start of the application, unless `lazy`, if ZooKeeper cannot be reached
   * @example
   * LockModule.forRoot({ connectString: 'zk1:2181,zk2:2181,zk3:2181/shop', defaults: { wait: 5_000, ttl: 60_000 } })
   */
  static forRoot(options: LockModuleOptions & LockModuleExtras): DynamicModule {
    return { ...ConfigurableModuleClass.forRoot(options), module: this };
  }

  /**
   * The same with options from a factory, a class or an existing provider.
   *
   * @example
   * LockModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ connectString: config.getOrThrow('ZOOKEEPER') }),
   * })
   */
  static forRootAsync(options: LockModuleAsyncOptions): DynamicModule {
    return { ...ConfigurableModuleClass.forRootAsync(options), module: this };
  }

  /**
   * Before all routes, whatever their prefix and whoever adds them: middleware that Nest's consumer adds would be bound to
   * paths, and miss that of GraphQL.
   */
  configure(): void {
    this.adapterHost?.httpAdapter?.use(httpCallers);
  }

  /** Without shutdown hooks, a SIGTERM leaves every lock taken for a session timeout (H52). */
  onApplicationBootstrap(): void {
    if (process.listenerCount('SIGTERM') > 0) return;
    new Logger(LockModule.name).warn(
      'Shutdown hooks are off: after a SIGTERM, held locks stay taken until the session times out. ' +
        'Call app.enableShutdownHooks() before app.listen()',
    );
  }
}

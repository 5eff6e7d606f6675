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
} from './options/lock-module-options.interface.js';
import { ConfigurableModuleClass } from './lock.module-definition.js';
import { LOCK_MODULE_OPTIONS } from './lock.constants.js';
import { describeValue } from './locking/describe-value.js';
import { LockConfigurationError } from './locking/errors/lock-configuration.error.js';

/**
 * Registers a lock service on ZooKeeper, and with it what `@Locked` needs. Global by default.
 *
 * @publicApi
 */
// The options of `forRoot` take the place of this provider, which says what is wrong without them: it needs nothing, so that
// it is heard before Nest has looked for the service everywhere.
@Module({ providers: [{ provide: LOCK_MODULE_OPTIONS, useFactory: refuseToRunWithoutOptions }] })
export class LockModule implements NestModule, OnApplicationBootstrap {
  @Inject() private readonly adapterHost?: HttpAdapterHost;

  /**
   * @throws LockConfigurationError at once without options; at the start of the application, listing every bad option
   * @throws LockUnavailableError at the start of the application, unless `lazy`, if ZooKeeper cannot be reached or the
   *   session lacks rights below `root`
   * @example
   * LockModule.forRoot({ connectString: 'zk1:2181,zk2:2181,zk3:2181/shop', defaults: { wait: 5_000, ttl: 60_000 } })
   */
  static forRoot(options: LockModuleOptions & LockModuleExtras): DynamicModule {
    assertOptions('forRoot', options, "{ connectString: 'localhost:2181' }");
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
    assertOptions('forRootAsync', options, '{ inject: [...], useFactory: ... }');
    const { useFactory, useClass, useExisting } = options;
    if (useFactory ?? useClass ?? useExisting)
      return { ...ConfigurableModuleClass.forRootAsync(options), module: this };
    throw new LockConfigurationError(
      '`LockModule.forRootAsync` needs one of `useFactory`, `useClass` and `useExisting`, which gives the options',
    );
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

function refuseToRunWithoutOptions(): never {
  throw new LockConfigurationError(
    '`LockModule` is imported without options. Import `LockModule.forRoot({ connectString: ... })` or ' +
      '`LockModule.forRootAsync(...)`, once, in the root module; other modules need no import, for it is global',
  );
}

/** JavaScript, and a configuration that is not loaded yet, leave them out. */
function assertOptions(method: string, options: unknown, example: string): void {
  if (typeof options === 'object' && options !== null) return;
  throw new LockConfigurationError(
    `\`LockModule.${method}\` needs options, such as ${example}: got ${describeValue(options)}`,
  );
}

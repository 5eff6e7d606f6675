import {
  Inject,
  Module,
  type DynamicModule,
  type NestModule,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { httpCallers } from './callers/http-callers.middleware.js';
import { ASYNC_OPTIONS, assertAsyncOptions, withCreateCheck } from './options/async-options.js';
import type { LockModuleAsyncOptions, LockModuleExtras } from './options/lock-module-extras.interface.js';
import { MODULE_OPTIONS, type LockModuleOptions } from './options/lock-module-options.js';
import { MODULE_EXTRAS } from './options/module-extras.js';
import { ConfigurableModuleClass } from './lock.module-definition.js';
import { LOCK_MODULE_OPTIONS } from './lock.constants.js';
import { safeLogger } from './safe-logger.js';
import { ShutdownHooksCheck } from './shutdown-hooks-check.js';
import { withInherited } from './locking/inherited-options.js';
import { assertOptionsObject } from './locking/options-object.js';
import { LockConfigurationError } from './locking/errors/lock-configuration.error.js';

/**
 * Registers a lock service on ZooKeeper, for injection and for `@Locked`. Global by default.
 *
 * @publicApi
 */
// The options of `forRoot` replace this provider. Without options it throws. It has no dependencies, so Nest runs it
// before it reports that it cannot resolve the lock service.
@Module({ providers: [{ provide: LOCK_MODULE_OPTIONS, useFactory: refuseToRunWithoutOptions }] })
export class LockModule implements NestModule, OnApplicationBootstrap, OnModuleDestroy {
  @Inject() private readonly adapterHost?: HttpAdapterHost;
  @Inject(LOCK_MODULE_OPTIONS) private readonly options?: LockModuleOptions;
  private readonly shutdownHooks = new ShutdownHooksCheck((message) =>
    safeLogger('LockModule').warn(message),
  );

  /**
   * Registers a lock service with these options. The application starts when ZooKeeper is connected, unless `lazy`.
   *
   * @throws LockConfigurationError at the call if the options are missing, or if `name`, `isGlobal` or `exceptionFilter` is
   *   invalid; at application start if any other option is, with all problems listed
   * @throws LockUnavailableError at application start, unless `lazy`, if ZooKeeper cannot be reached or the session
   *   lacks permissions below `root`
   * @example
   * LockModule.forRoot({ connectString: 'zk1:2181,zk2:2181,zk3:2181/shop', defaults: { wait: 5_000, ttl: 60_000 } })
   */
  static forRoot(options: LockModuleOptions & LockModuleExtras): DynamicModule {
    assertOptions('forRoot', options, "{ connectString: 'localhost:2181' }");
    const names = Object.keys({ ...MODULE_OPTIONS, ...MODULE_EXTRAS });
    return { ...ConfigurableModuleClass.forRoot(withInherited(names, options)), module: this };
  }

  /**
   * Registers a lock service with options from a factory, a class or an existing provider.
   *
   * @throws LockConfigurationError at the call unless exactly one of `useFactory`, `useClass` and `useExisting` is given, if there is an
   *   unknown option, or if `name`, `isGlobal` or `exceptionFilter` is invalid
   * @throws the errors of `forRoot` at application start
   * @example
   * LockModule.forRootAsync({
   *   inject: [ConfigService],
   *   useFactory: (config: ConfigService) => ({ connectString: config.getOrThrow('ZOOKEEPER') }),
   * })
   */
  static forRootAsync(options: LockModuleAsyncOptions): DynamicModule {
    assertOptions('forRootAsync', options, '{ inject: [...], useFactory: ... }');
    assertAsyncOptions(options);
    const definition = ConfigurableModuleClass.forRootAsync(withInherited(ASYNC_OPTIONS, options));
    return { ...definition, providers: withCreateCheck(definition.providers ?? [], options), module: this };
  }

  /**
   * Adds the middleware before all routes of the application. Nest's consumer would bind it to paths, and GraphQL's
   * path would not match.
   */
  configure(): void {
    this.adapterHost?.httpAdapter?.use(httpCallers);
  }

  /** Warns if shutdown hooks are off: after a SIGTERM, all locks would remain held until the session expires (H52). */
  onApplicationBootstrap(): void {
    if (this.options?.shutdownHookWarning === false) return;
    // Null without a server, although its type excludes null.
    const hasServer = Boolean(this.adapterHost?.httpAdapter);
    this.shutdownHooks.started({ hasServer });
  }

  /** Cancels the check if it has not run yet: before the lock services wait for their holds. */
  onModuleDestroy(): void {
    this.shutdownHooks.closing();
  }
}

function refuseToRunWithoutOptions(): never {
  throw new LockConfigurationError(
    '`LockModule` is imported without options. Import `LockModule.forRoot({ connectString: ... })` or ' +
      '`LockModule.forRootAsync(...)`, once, in the root module; other modules need no import, because it is global',
  );
}

/** JavaScript callers, or a configuration that is not loaded yet, may omit the options. */
function assertOptions(method: string, options: unknown, example: string): void {
  assertOptionsObject(options, `\`LockModule.${method}\` needs options, such as ${example}`);
}

import {
  Catch,
  Controller,
  Get,
  HttpException,
  Module,
  Scope,
  UseFilters,
  type ArgumentsHost,
  type INestApplication,
  type MiddlewareConsumer,
  type ModuleMetadata,
  type NestMiddleware,
  type Provider,
} from '@nestjs/common';
import {
  APP_FILTER,
  ApplicationConfig,
  BaseExceptionFilter,
  ExternalContextCreator,
  NestFactory,
} from '@nestjs/core';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  InjectLockService,
  LockBusyError,
  LockError,
  LockExceptionFilter,
  LockModule,
  LockService,
  Locked,
  type LockModuleOptions,
} from '../../lib/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Controller()
class Orders {
  @Get('busy')
  @Locked('order', { wait: 0 })
  async busy() {}
}

@Catch(LockError)
class OwnFilter extends BaseExceptionFilter {
  override catch(_error: LockError, host: ArgumentsHost): void {
    super.catch(new HttpException('the own answer', 418), host);
  }
}

@Catch()
class CatchAll extends BaseExceptionFilter {
  override catch(_error: unknown, host: ArgumentsHost): void {
    super.catch(new HttpException('the own answer', 418), host);
  }
}

@Controller()
@UseFilters(OwnFilter)
class OwnOrders extends Orders {}

class ConflictFilter extends LockExceptionFilter {
  protected override statusOf(): number {
    return 409;
  }
}

class Gate implements NestMiddleware {
  constructor(@InjectLockService() private readonly locks: LockService) {}

  async use(_request: unknown, _reply: unknown, next: () => void) {
    await this.locks.withLock('order', { wait: 0 }, async () => next());
  }
}

let options: LockModuleOptions;

beforeEach(async () => {
  options = zooKeeper.options();
  await (await Replica.open(options)).hold('order');
});

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function statusOf(metadata: ModuleMetadata, configure?: (app: INestApplication) => unknown) {
    const app = await TestApp.start(metadata, { adapter, configure });
    const response = await app.fetch('/busy');
    await app.close();
    return response.status;
  }

  const withOwn = (...providers: Provider[]): ModuleMetadata => ({
    imports: [LockModule.forRoot(options)],
    controllers: [Orders],
    providers,
  });

  test.each([
    ['for lock errors', { provide: APP_FILTER, useClass: OwnFilter }],
    ['for all errors', { provide: APP_FILTER, useClass: CatchAll }],
    ['of every request', { provide: APP_FILTER, useClass: CatchAll, scope: Scope.REQUEST }],
  ])('an APP_FILTER of the application %s takes precedence', async (_which, provider) => {
    expect(await statusOf(withOwn(provider))).toBe(418);
  });

  test('a subclass with other statuses takes precedence', async () => {
    expect(await statusOf(withOwn({ provide: APP_FILTER, useClass: ConflictFilter }))).toBe(409);
  });

  test('a filter of useGlobalFilters takes precedence', async () => {
    const useOwn = (app: INestApplication) => app.useGlobalFilters(new CatchAll(app.getHttpAdapter()));
    expect(await statusOf(withOwn(), useOwn)).toBe(418);
  });

  test('a filter of the controller takes precedence', async () => {
    expect(await statusOf({ ...withOwn(), controllers: [OwnOrders] })).toBe(418);
  });

  test('LockExceptionFilter takes precedence if it is registered after a filter for all errors', async () => {
    const catchAll = { provide: APP_FILTER, useClass: CatchAll };
    const again = { provide: APP_FILTER, useClass: LockExceptionFilter };
    expect(await statusOf(withOwn(catchAll, again))).toBe(423);
  });

  test('the default filter handles errors of middleware', async () => {
    class AppModule {
      configure(consumer: MiddlewareConsumer): void {
        consumer.apply(Gate).forRoutes('*path');
      }
    }
    const imports = [LockModule.forRoot(options), { module: AppModule }];
    expect(await statusOf({ imports, controllers: [Orders] })).toBe(423);
  });
});

test('several lock modules register the default filter once', async () => {
  const imports = [LockModule.forRoot(options), LockModule.forRoot({ ...options, name: 'archive' })];
  const app = await TestApp.start({ imports, controllers: [Orders] });
  expect((await app.fetch('/busy')).status).toBe(423);
  expect(app.get(ApplicationConfig).getGlobalFilters()).toEqual([expect.any(LockExceptionFilter)]);
});

test('the default filter applies to the whole application, even if the module is not global', async () => {
  const app = await TestApp.start({
    imports: [LockModule.forRoot({ ...options, isGlobal: false })],
    controllers: [Orders],
  });
  expect((await app.fetch('/busy')).status).toBe(423);
});

test.each([
  [undefined, 423],
  [true, 423],
  [false, 500],
])('forRootAsync with exceptionFilter: %s answers %s', async (exceptionFilter, status) => {
  const app = await TestApp.start({
    imports: [LockModule.forRootAsync({ exceptionFilter, useFactory: () => options })],
    controllers: [Orders],
  });
  expect((await app.fetch('/busy')).status).toBe(status);
});

test('a context whose type is http only by default receives the error itself', async () => {
  const app = await TestApp.start({ imports: [LockModule.forRoot(options)], controllers: [Orders] });
  const orders = app.get(Orders);
  const call = app.get(ExternalContextCreator).create(orders, () => orders.busy(), 'busy');
  await expect(call()).rejects.toThrow(LockBusyError);
  await expect(call('message', null)).rejects.toThrow(LockBusyError);
});

test('a context without a server receives the error itself', async () => {
  @Module({ imports: [LockModule.forRoot(options)], providers: [Orders] })
  class AppModule {}
  const context = await NestFactory.createApplicationContext(AppModule, { logger: new RecordingLogger() });
  endedWithTest({ [Symbol.asyncDispose]: () => context.close() });
  const orders = context.get(Orders);
  const call = context.get(ExternalContextCreator).create(orders, () => orders.busy(), 'busy');
  await expect(call('message', {})).rejects.toThrow(LockBusyError);
});

test('an application without HTTP starts with the default filter', async () => {
  const context = await NestFactory.createApplicationContext(LockModule.forRoot(options), {
    logger: new RecordingLogger(),
  });
  endedWithTest({ [Symbol.asyncDispose]: () => context.close() });
  await expect(context.get(LockService).lock('order', { wait: 0 })).rejects.toThrow(LockBusyError);
});

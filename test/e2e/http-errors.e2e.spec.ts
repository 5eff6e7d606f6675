import { Controller, Get, type Type } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { firstValueFrom } from 'rxjs';
import { describe, expect, test } from 'vitest';
import {
  LockExceptionFilter,
  LockModule,
  LockService,
  Locked,
  type LockModuleOptions,
} from '../../lib/index.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { LogBook } from '../fixtures/log-book.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Controller()
class Orders {
  @Get('busy')
  @Locked('secret-order', { wait: 0 })
  async busy() {}

  @Get('slow')
  @Locked('secret-order', { wait: 4_000 })
  async slow() {}

  @Get('lost')
  @Locked('secret-order', 100)
  async lost() {
    await new Promise(() => {});
  }

  @Get('misused')
  @Locked(() => 'secret-order:undefined')
  async misused() {}

  @Get('own')
  @Locked('secret-order')
  async own() {
    throw new Error('the own error of the handler');
  }
}

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  function start(options: LockModuleOptions, filter: Type | undefined, logger = new LogBook()) {
    const providers = filter === undefined ? [] : [{ provide: APP_FILTER, useClass: filter }];
    return TestApp.start(
      { imports: [LockModule.forRoot(options)], controllers: [Orders], providers },
      { adapter, logger },
    );
  }

  async function startBusy(filter?: Type) {
    const options = zooKeeper.options();
    const replica = await Replica.open(options);
    await replica.hold('secret-order');
    return start(options, filter);
  }

  test('a busy lock is answered 423 with Retry-After', async () => {
    const app = await startBusy(LockExceptionFilter);
    const response = await app.fetch('/busy');
    expect(response.status).toBe(423);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await response.json()).toEqual({
      statusCode: 423,
      code: 'LOCK_BUSY',
      message: 'The resource is locked. Try again later.',
    });
  });

  test('a wait in vain is answered 423 with Retry-After', async () => {
    const app = await startBusy(LockExceptionFilter);
    const response = await app.fetch('/slow');
    expect(response.status).toBe(423);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await response.json()).toEqual({
      statusCode: 423,
      code: 'LOCK_TIMEOUT',
      message: 'The resource stayed locked for too long. Try again later.',
    });
  });

  test('an unreachable ZooKeeper is answered 503 with Retry-After', async () => {
    const proxy = endedWithTest(await FaultProxy.start(zooKeeper.server));
    const { connectString } = proxy;
    // Lazy, because the short time is meant for the request alone, and not for the start.
    const app = await start(
      zooKeeper.options({ connectString, connectTimeout: 500, lazy: true }),
      LockExceptionFilter,
    );
    await firstValueFrom(app.get(LockService).ready$);
    proxy.refuse();
    const response = await app.fetch('/busy');
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(await response.json()).toEqual({
      statusCode: 503,
      code: 'LOCK_UNAVAILABLE',
      message: 'The lock service is not available. Try again later.',
    });
  });

  test('a lock lost on the way is answered 500 without Retry-After, and logged', async () => {
    const logger = new LogBook();
    const app = await start(zooKeeper.options(), LockExceptionFilter, logger);
    const response = await app.fetch('/lost');
    expect(response.status).toBe(500);
    expect(response.headers.has('Retry-After')).toBe(false);
    expect(await response.json()).toEqual({
      statusCode: 500,
      code: 'LOCK_LOST',
      message: 'The lock was lost during the request; its outcome is unknown.',
    });
    expect(logger.messages('error').join()).toContain("LockLostError: Lock 'secret-order' was lost (ttl)");
  });

  test('a mistake of the program is answered 500, and only the log says what it is', async () => {
    const logger = new LogBook();
    const app = await start(zooKeeper.options(), LockExceptionFilter, logger);
    const response = await app.fetch('/misused');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      statusCode: 500,
      code: 'LOCK_CONFIGURATION',
      message: 'Internal server error',
    });
    expect(logger.messages('error').join()).toContain("'secret-order:undefined' (string)");
  });

  test('without the filter every lock error is a plain 500', async () => {
    const app = await startBusy();
    const response = await app.fetch('/busy');
    expect(response.status).toBe(500);
    expect(response.headers.has('Retry-After')).toBe(false);
    expect(await response.json()).toEqual({ statusCode: 500, message: 'Internal server error' });
  });

  test("the filter leaves a handler's own error alone", async () => {
    const app = await start(zooKeeper.options(), LockExceptionFilter);
    const response = await app.fetch('/own');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ statusCode: 500, message: 'Internal server error' });
  });
});

import { Controller, Get, type DynamicModule } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { describe, expect, test } from 'vitest';
import {
  LockModule,
  LockService,
  Locked,
  type LockModuleExtras,
  type LockModuleOptions,
} from '../../lib/index.js';
import { LockTesting, LockTestingModule } from '../../lib/testing/index.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { Replica } from '../fixtures/replica.js';
import { everythingOf, expectNoSecrets, holdSecretly } from '../fixtures/secrets.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

/** Shorter than the session timeout: while time is advanced, replicas of the application send no heartbeats. */
const WAIT_MS = 4_000;

const zooKeeper = useZooKeeper();

@Controller()
class Orders {
  @Get('busy')
  @Locked('secret-order', { wait: 0 })
  async busy() {}

  @Get('slow')
  @Locked('secret-order', { wait: WAIT_MS })
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
  function start(
    options: LockModuleOptions & LockModuleExtras,
    logger = new RecordingLogger(),
    imports: DynamicModule[] = [],
  ) {
    return TestApp.start(
      { imports: [LockModule.forRoot(options), ...imports], controllers: [Orders] },
      { adapter, logger },
    );
  }

  async function startBusy(extras: LockModuleExtras = {}, logger = new RecordingLogger()) {
    const options = zooKeeper.options();
    await holdSecretly(await Replica.open(options));
    return start({ ...options, ...extras }, logger);
  }

  /** Checks that a response contains no names. */
  async function ask(app: TestApp, path: string) {
    const response = await app.fetch(path);
    expectNoSecrets(await everythingOf(response.clone()));
    return response;
  }

  test('a busy lock is answered 423 with Retry-After', async () => {
    const app = await startBusy();
    const response = await ask(app, '/busy');
    expect(response.status).toBe(423);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await response.json()).toEqual({
      statusCode: 423,
      code: 'LOCK_BUSY',
      message: 'The resource is locked. Try again later.',
    });
  });

  test('a wait that times out is answered 423 with Retry-After', async () => {
    const app = await start({}, new RecordingLogger(), [LockTestingModule.forRoot({ time: 'manual' })]);
    const testing = app.get(LockTesting);
    await holdSecretly(await Replica.open({ connectString: testing.zookeeper.connectString }));

    const asked = ask(app, '/slow');
    await eventually(() => testing.waiters('secret-order').length === 1);
    await testing.advance(WAIT_MS);

    const response = await asked;
    expect(response.status).toBe(423);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await response.json()).toEqual({
      statusCode: 423,
      code: 'LOCK_TIMEOUT',
      message: 'Timed out waiting for the resource. Try again later.',
    });
  });

  test('an unreachable ZooKeeper is answered 503 with Retry-After', async () => {
    const proxy = endedWithTest(await FaultProxy.start(zooKeeper.server));
    const { connectString } = proxy;
    // Lazy, because the short timeout is for the request and not for the start.
    const app = await start(zooKeeper.options({ connectString, connectTimeout: 500, lazy: true }));
    await firstValueFrom(app.get(LockService).ready$);
    proxy.refuse();
    const response = await ask(app, '/busy');
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(await response.json()).toEqual({
      statusCode: 503,
      code: 'LOCK_UNAVAILABLE',
      message: 'The lock service is not available. Try again later.',
    });
  });

  test('a lock lost during the request is answered 500 without Retry-After, and logged', async () => {
    const logger = new RecordingLogger();
    const app = await start(zooKeeper.options(), logger);
    const response = await ask(app, '/lost');
    expect(response.status).toBe(500);
    expect(response.headers.has('Retry-After')).toBe(false);
    expect(await response.json()).toEqual({
      statusCode: 500,
      code: 'LOCK_LOST',
      message: 'The lock was lost during the request; its outcome is unknown.',
    });
    expect(logger.messages('error').join()).toContain("LockLostError: Lock 'secret-order' was lost (ttl)");
  });

  test('a configuration error is answered 500, and only the log contains its message', async () => {
    const logger = new RecordingLogger();
    const app = await start(zooKeeper.options(), logger);
    const response = await ask(app, '/misused');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      statusCode: 500,
      code: 'LOCK_CONFIGURATION',
      message: 'Internal server error',
    });
    expect(logger.messages('error').join()).toContain("'secret-order:undefined' (string)");
  });

  test('the debug log contains the full message of a busy lock', async () => {
    const logger = new RecordingLogger();
    const app = await startBusy({}, logger);
    await app.fetch('/busy');
    expect(logger.messages('debug').join()).toContain(
      "Lock 'secret-order' is busy, held by secret-holder. Try again later",
    );
    expect([...logger.messages('warn'), ...logger.messages('error')].join()).not.toContain('secret-order');
  });

  test('with exceptionFilter: false every lock error is a plain 500', async () => {
    const app = await startBusy({ exceptionFilter: false });
    const response = await ask(app, '/busy');
    expect(response.status).toBe(500);
    expect(response.headers.has('Retry-After')).toBe(false);
    expect(await response.json()).toEqual({ statusCode: 500, message: 'Internal server error' });
  });

  test('the filter does not handle other errors of a handler', async () => {
    const app = await start(zooKeeper.options());
    const response = await app.fetch('/own');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ statusCode: 500, message: 'Internal server error' });
  });
});

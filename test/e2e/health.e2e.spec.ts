import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { describe, expect, test } from 'vitest';
import {
  LockConfigurationError,
  LockHealthIndicator,
  LockModule,
  LockService,
  type LockModuleOptions,
} from '../../lib/index.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { DEAD_PORT } from '../support/free-port.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Controller()
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly locks: LockHealthIndicator,
  ) {}

  @Get('health')
  @HealthCheck()
  check() {
    return this.health.check([() => this.locks.check('locks')]);
  }
}

async function start(overrides?: LockModuleOptions) {
  const proxy = endedWithTest(await FaultProxy.start(zooKeeper.server));
  if (overrides?.lazy) proxy.refuse();
  const options = zooKeeper.options({ connectString: proxy.connectString, ...overrides });
  const app = await TestApp.start({
    imports: [LockModule.forRoot(options), TerminusModule.forRoot({ logger: false })],
    controllers: [HealthController],
  });
  return { app, proxy, log: new EventRecorder(app.get(LockService)) };
}

async function ask(app: TestApp) {
  const response = await app.fetch('/health');
  return { status: response.status, body: await response.json() };
}

const up = {
  status: 200,
  body: { status: 'ok', info: { locks: { status: 'up', state: 'connected' } }, error: {} },
};

test('the health check is up with ZooKeeper, down without it, and up again', async () => {
  const { app, proxy, log } = await start();
  expect(await ask(app)).toMatchObject(up);
  proxy.refuse();
  await log.told('suspended');
  expect(await ask(app)).toMatchObject({
    status: 503,
    body: { status: 'error', info: {}, error: { locks: { status: 'down', state: 'suspended' } } },
  });
  await proxy.accept();
  await log.told('resumed');
  expect(await ask(app)).toMatchObject(up);
});

test('a lazy application that has not connected yet is down', async () => {
  const { app, proxy, log } = await start({ lazy: true });
  expect(await ask(app)).toMatchObject({
    status: 503,
    body: { error: { locks: { status: 'down', state: 'connecting' } } },
  });
  await proxy.accept();
  await log.told('ready');
  expect(await ask(app)).toMatchObject(up);
});

describe('a named service', () => {
  /** A service 'reports' that cannot connect and, unless `alone`, a service without a name. */
  async function startNamed({
    alone = false,
    isGlobal = true,
  }: { alone?: boolean; isGlobal?: boolean } = {}) {
    const unreachable = { host: '127.0.0.1', port: DEAD_PORT, lazy: true };
    const app = await TestApp.start({
      imports: [
        LockModule.forRoot({ ...unreachable, name: 'reports', isGlobal }),
        ...(alone ? [] : [LockModule.forRoot(zooKeeper.options())]),
      ],
    });
    return app.get(LockHealthIndicator);
  }

  test.for([{}, { alone: true }, { isGlobal: false }])('is checked by its name (%o)', async (setup) => {
    const health = await startNamed(setup);
    expect(health.check('reports', { service: 'reports' })).toEqual({
      reports: { status: 'down', state: 'connecting' },
    });
  });

  test('does not affect the check of the service without a name', async () => {
    const health = await startNamed();
    expect(health.check('locks')).toEqual({ locks: { status: 'up', state: 'connected' } });
  });

  test('that is not registered causes an error', async () => {
    const health = await startNamed({ alone: true });
    expect(() => health.check('orders', { service: 'orders' })).toThrow(LockConfigurationError);
    expect(() => health.check('orders', { service: 'orders' })).toThrow(/with the name 'orders'/);
    expect(() => health.check('locks')).toThrow(/without a name.*service: 'reports'/);
  });
});

test.for([
  [{ name: 'reports' }, "LockHealthIndicator.check: unknown option 'name': accepted are service"],
  [{ service: null }, '`service` must be the name of a lock service: got null'],
  [{ service: '' }, "`service` must be the name of a lock service: got '' (string)"],
  ['reports', "takes an object of options, such as { service: 'reports' }: got 'reports' (string)"],
] as [never, string][])('a check with %o answers for no other service', async ([options, message]) => {
  const { app } = await start();
  const check = () => app.get(LockHealthIndicator).check('locks', options);
  expect(check).toThrow(LockConfigurationError);
  expect(check).toThrow(message);
});

test('the health check is down as soon as the service closes, while a holder finishes', async () => {
  const { app } = await start();
  const locks = app.get(LockService);
  const held = await locks.lock('order');
  const stopped = locks.beforeApplicationShutdown();
  expect(await ask(app)).toMatchObject({
    status: 503,
    body: { error: { locks: { status: 'down', state: 'connected' } } },
  });
  await held.release();
  await stopped;
});

test('an indicator outside of Nest checks the service it was created with', async () => {
  const { app } = await start();
  const health = new LockHealthIndicator(app.get(LockService));
  expect(health.check('locks')).toEqual({ locks: { status: 'up', state: 'connected' } });
});

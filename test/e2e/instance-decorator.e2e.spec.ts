import { Controller, Get, Injectable, Module, UseInterceptors } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, expect, test } from 'vitest';
import { LockHealthIndicator, LockInterceptor, LockModule, LockService, Locked } from '../../lib/index.js';
import { FakeLockService, LockTesting, LockTestingModule } from '../../lib/testing/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { Replica } from '../fixtures/replica.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();
const decorated: string[] = [];

/** Wraps every provider in a Proxy, which cannot access `#` members, as tracing tools do. */
const instrument = {
  instanceDecorator(instance: unknown): unknown {
    if (typeof instance !== 'object' || instance === null) return instance;
    decorated.push(instance.constructor.name);
    return new Proxy(instance, {});
  },
};

@Injectable()
class Payments {
  @Locked('order:{0}', { wait: 0 })
  async pay(_order: string) {
    return LockService.currentOrThrow().resource;
  }
}

@Controller()
class Orders {
  constructor(private readonly payments: Payments) {}

  @Get('pay')
  pay() {
    return this.payments.pay('42');
  }

  @Get('import')
  @UseInterceptors(LockInterceptor(() => 'import', { wait: 0 }))
  async import() {
    return 'imported';
  }
}

async function start() {
  const options = zooKeeper.options({ drainTimeout: 0 });
  @Module({
    imports: [LockModule.forRoot(options)],
    controllers: [Orders],
    providers: [Payments],
  })
  class AppModule {}

  const logger = new RecordingLogger();
  const app = await NestFactory.create(AppModule, { instrument, logger, abortOnError: false });
  endedWithTest({ [Symbol.asyncDispose]: () => app.close() });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    app,
    locks: app.get(LockService),
    logger,
    replica: await Replica.open(options),
    get: (path: string) => fetch(`${url}/${path}`, { headers: { Connection: 'close' } }),
  };
}

afterEach(() => {
  decorated.length = 0;
});

test('all providers of a lock module work through a Proxy', async () => {
  const { app, locks, replica, get, logger } = await start();
  expect(decorated).toEqual(
    expect.arrayContaining(['LockService', 'LockHealthIndicator', 'LockExceptionFilter']),
  );
  expect(logger.messages('warn')).toContainEqual(
    expect.stringContaining('wraps ModulesContainer in a Proxy. Return ModulesContainer unchanged'),
  );
  expect(await (await get('pay')).text()).toBe('order:42');
  expect(await (await get('import')).text()).toBe('imported');

  const held = await locks.lock('order:42');
  expect((await get('pay')).status).toBe(423);
  expect((await replica.locks.inspect('order:42')).holder?.owner?.owner).toBe(locks.owner);
  expect(await locks.unlock(held)).toBe(true);
  expect(await locks.withLock('order:43', ({ resource }) => resource)).toBe('order:43');
  expect(app.get(LockHealthIndicator).check('locks').locks.status).toBe('up');
  expect(locks.state).toBe('connected');
});

test('closing the application closes the session', async () => {
  const { app, locks, replica } = await start();
  const log = new EventRecorder(locks);
  await locks.lock('order:42');
  await app.close();
  expect(log.types).toEqual(['acquired', 'lost', 'closed']);
  expect(await replica.isFree('order:42')).toBe(true);
});

test('the testing module works through a Proxy', async () => {
  @Module({
    imports: [LockModule.forRoot({ drainTimeout: 0 }), LockTestingModule.forRoot()],
    providers: [Payments, { provide: 'fake', useClass: FakeLockService }],
  })
  class AppModule {}

  const app = await NestFactory.createApplicationContext(AppModule, {
    instrument,
    logger: new RecordingLogger(),
    abortOnError: false,
  });
  endedWithTest({ [Symbol.asyncDispose]: () => app.close() });
  expect(decorated).toEqual(expect.arrayContaining(['LockTesting', 'FakeLockService']));
  const testing = app.get(LockTesting);
  const locks = app.get(LockService);
  await app.get(Payments).pay('42');
  testing.assertLocked(Payments, 'pay', 'order:42');
  testing.assertNothingHeld();

  const held = await locks.lock('order:43');
  expect(testing.holders).toMatchObject([{ resource: 'order:43' }]);
  await testing.expireSession(locks);
  expect(held.signal.aborted).toBe(true);

  const fake: FakeLockService = app.get('fake');
  await fake.lock('order:44');
  expect(fake.held).toMatchObject([{ resource: 'order:44' }]);
  await app.close();
  expect([locks.state, fake.state]).toEqual(['closed', 'closed']);
});

import { Controller, Get, Injectable, Module, UseInterceptors, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  Leader,
  LockHealthIndicator,
  LockInterceptor,
  LockModule,
  LockService,
  Locked,
} from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { FakeLockService, LockTesting, LockTestingModule } from '../../lib/testing/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { Replica } from '../fixtures/replica.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();
const decorated: string[] = [];

/** Wraps every provider in a Proxy, which cannot access `#` members, as tracing tools do. */
const instrument = (handler: ProxyHandler<object> = {}) => ({
  instanceDecorator(instance: unknown): unknown {
    if (typeof instance !== 'object' || instance === null) return instance;
    decorated.push(instance.constructor.name);
    return new Proxy(instance, handler);
  },
});

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

/** A Proxy of a tracing tool has another function for each method. */
function tracedMember(target: object, key: string | symbol, proxy: object): unknown {
  const member: unknown = Reflect.get(target, key, proxy);
  return typeof member === 'function'
    ? (...args: unknown[]): unknown => Reflect.apply(member, proxy, args)
    : member;
}

async function start(providers: Provider[] = [], handler: ProxyHandler<object> = {}) {
  const options = zooKeeper.options({ drainTimeout: 0 });
  @Module({
    imports: [LockModule.forRoot(options)],
    controllers: [Orders],
    providers: [Payments, ...providers],
  })
  class AppModule {}

  const app = await NestFactory.create(AppModule, {
    instrument: instrument(handler),
    logger: new RecordingLogger(),
    abortOnError: false,
  });
  app.useWebSocketAdapter(new WsAdapter(app));
  endedWithTest({ [Symbol.asyncDispose]: () => app.close() });
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    app,
    url,
    locks: app.get(LockService),
    replica: await Replica.open(options),
    get: (path: string) => fetch(`${url}/${path}`, { headers: { Connection: 'close' } }),
  };
}

afterEach(() => {
  decorated.length = 0;
});

test('all providers of a lock module work through a Proxy', async () => {
  const { app, locks, replica, get } = await start();
  expect(decorated).toEqual(
    expect.arrayContaining(['LockService', 'LockHealthIndicator', 'LockExceptionFilter']),
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

test('gateways answer a busy lock, and their waiting calls leave the queue with the client', async () => {
  @WebSocketGateway()
  class Gateway {
    @SubscribeMessage('try')
    @Locked('order', { wait: 0 })
    async try() {}

    @SubscribeMessage('wait')
    @Locked('order')
    async wait() {}
  }
  const { url, locks } = await start([Gateway]);
  const log = new EventRecorder(locks);
  await locks.lock('order');
  const client = new WebSocket(url);
  endedWithTest({ [Symbol.asyncDispose]: async () => client.terminate() });
  await once(client, 'open');
  client.send(JSON.stringify({ event: 'try' }));
  const [answer] = (await once(client, 'message')) as [Buffer];
  expect(JSON.parse(answer.toString())).toMatchObject({ event: 'exception', data: { code: 'LOCK_BUSY' } });

  client.send(JSON.stringify({ event: 'wait' }));
  await log.told('waiting');
  client.terminate();
  await log.told('aborted');
});

test.each([
  ['has the methods of the instance', {}],
  ['has functions of its own', { get: tracedMember }],
])('a leader runs, once, behind a Proxy that %s', async (_, handler) => {
  @Injectable()
  class Mailer {
    readonly runs: (string | undefined)[] = [];

    @Leader('mail-queue')
    async send() {
      this.runs.push(LockService.current()?.resource);
    }
  }
  const { app, locks } = await start([Mailer, { provide: 'alias', useExisting: Mailer }], handler);
  const { runs } = app.get(Mailer);
  await eventually(() => runs.length > 0);
  expect(await locks.inspect('mail-queue')).toMatchObject({
    holder: { owner: { purpose: 'Mailer.send' } },
    waiters: [],
  });
  expect(runs).toEqual(['mail-queue']);
});

test('two registrations without a name are rejected', async () => {
  @Module({ imports: [LockModule.forRoot(zooKeeper.options()), LockModule.forRoot(zooKeeper.options())] })
  class AppModule {}
  const options = { instrument: instrument(), logger: new RecordingLogger(), abortOnError: false };
  await expect(NestFactory.createApplicationContext(AppModule, options)).rejects.toThrow(
    'LockModule is registered 2 times without a name',
  );
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
    instrument: instrument(),
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

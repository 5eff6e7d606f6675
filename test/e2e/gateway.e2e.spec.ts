import { Catch, UseFilters, type ArgumentsHost, type ExceptionFilter, type Type } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { once } from 'node:events';
import { Observable, Subject, map } from 'rxjs';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { LockError, LockModule, LockService, Locked, type LockModuleExtras } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { Latch } from '../fixtures/latch.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { NEST_MAJOR } from '../fixtures/nest-version.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Replica } from '../fixtures/replica.js';
import { expectNoSecrets, holdSecretly } from '../fixtures/secrets.js';
import { TestApp } from '../fixtures/test-app.js';
import { CriticalSectionLog } from '../fixtures/critical-section-log.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

class Work {
  readonly log = new CriticalSectionLog();
  readonly first = new Latch();
  readonly steps$ = new Subject<number>();
}

@WebSocketGateway()
class Orders {
  constructor(private readonly work: Work) {}

  @Locked('order:{0}')
  @SubscribeMessage('above')
  async above(@MessageBody() id: string) {
    await this.work.log.enter(id, () => this.work.first.opened);
    return { event: 'handled', data: id };
  }

  @SubscribeMessage('below')
  @Locked('order:{0}')
  async below(@MessageBody() id: string) {
    await this.work.log.enter(id, () => this.work.first.opened);
    return { event: 'handled', data: id };
  }

  @SubscribeMessage('watch')
  @Locked('order:watched')
  watch(): Observable<object> {
    return this.work.steps$.pipe(map((data) => ({ event: 'step', data })));
  }

  @SubscribeMessage('busy')
  @Locked('secret-order', { wait: 0 })
  async busy() {}
}

class Answering implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    host
      .switchToWs()
      .getClient<WebSocket>()
      .send(JSON.stringify({ event: 'own', data: null }));
  }
}

@Catch(LockError)
class OwnFilter extends Answering {}

@Catch()
class CatchAll extends Answering {}

@WebSocketGateway()
@UseFilters(OwnFilter)
class OwnOrders extends Orders {}

@WebSocketGateway()
@UseFilters(CatchAll)
class CatchingOrders extends Orders {}

/** A separate class, because Nest stores the filters of a gateway on its class. */
@WebSocketGateway()
class UnfilteredOrders {
  @SubscribeMessage('busy')
  @Locked('secret-order', { wait: 0 })
  async busy() {}
}

interface Message {
  readonly event: string;
  readonly data: unknown;
}

async function start(gateway: Type = Orders, extras: LockModuleExtras = {}) {
  const logger = new RecordingLogger();
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const app = await TestApp.start(
    {
      imports: [LockModule.forRoot({ ...options, ...extras })],
      providers: [Work, gateway],
    },
    { logger, configure: (nest) => nest.useWebSocketAdapter(new WsAdapter(nest)) },
  );
  return { replica, app, logger, work: app.get(Work) };
}

/** A client that records the messages it receives. */
async function connect(app: TestApp) {
  const socket = new WebSocket(app.url.replace('http', 'ws'));
  const received: Message[] = [];
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as Message));
  endedWithTest({ [Symbol.asyncDispose]: async () => socket.terminate() });
  await once(socket, 'open');
  return {
    received,
    send: (event: string, data: unknown = null) => socket.send(JSON.stringify({ event, data })),
    hears: (count: number) =>
      eventually(() => received.length >= count, { describe: `${count} messages, not ${received.length}` }),
    disconnect: () => socket.terminate(),
  };
}

test.each(['above', 'below'])('messages for one key are handled one after the other (%s)', async (event) => {
  const { app, work } = await start();
  const clients = [await connect(app), await connect(app), await connect(app)];
  for (const client of clients) client.send(event, '42');
  await hasWaiters(app.get(LockService), 'order:42', 2);
  work.first.open();
  for (const client of clients) {
    await client.hears(1);
    expect(client.received).toEqual([{ event: 'handled', data: '42' }]);
  }
  expect(work.log.overlaps()).toEqual([]);
});

test('a lock is held until its Observable ends', async () => {
  const { app, replica, work } = await start();
  const client = await connect(app);
  client.send('watch');
  await eventually(() => work.steps$.observed);
  work.steps$.next(1);
  await client.hears(1);
  expect(client.received).toEqual([{ event: 'step', data: 1 }]);
  expect(await replica.isFree('order:watched')).toBe(false);
  work.steps$.complete();
  await replica.becomesFree('order:watched');
});

test('a lock error is sent with its code and without names', async () => {
  const { app, replica, logger } = await start();
  await holdSecretly(replica);
  const client = await connect(app);
  client.send('busy', { id: 7 });
  await client.hears(1);
  expectNoSecrets(client.received);
  expect(client.received).toEqual([
    {
      event: 'exception',
      data: {
        status: 'error',
        statusCode: 423,
        code: 'LOCK_BUSY',
        message: 'The resource is locked. Try again later.',
        cause: { pattern: 'busy', data: { id: 7 } },
      },
    },
  ]);
  expect(logger.messages('debug').join()).toContain("Lock 'secret-order' is busy, held by secret-holder");
});

test.each([
  ['for lock errors', OwnOrders],
  ['for all errors', CatchingOrders],
])('a filter of the gateway %s comes first', async (_which, gateway) => {
  const { app, replica } = await start(gateway);
  await holdSecretly(replica);
  const client = await connect(app);
  client.send('busy');
  await client.hears(1);
  expect(client.received).toEqual([{ event: 'own', data: null }]);
});

// Since Nest 12, native sockets receive errors that no filter handles.
test.skipIf(NEST_MAJOR < 12)(
  'with exceptionFilter: false a native socket receives no details from Nest',
  async () => {
    const { app, replica } = await start(UnfilteredOrders, { exceptionFilter: false });
    await holdSecretly(replica);
    const client = await connect(app);
    client.send('busy');
    await client.hears(1);
    expectNoSecrets(client.received);
    expect(client.received).toMatchObject([
      { event: 'exception', data: { status: 'error', message: 'Internal server error' } },
    ]);
  },
);

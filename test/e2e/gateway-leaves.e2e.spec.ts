import { Injectable, UseInterceptors } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway, type OnGatewayDisconnect } from '@nestjs/websockets';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { LockCallerGoneError, LockInterceptor, LockModule, LockService, Locked } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Latch } from '../fixtures/latch.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Replica } from '../fixtures/replica.js';
import { TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Orders {
  runs = 0;

  constructor(private readonly locks: LockService) {}

  byHand(): Promise<unknown> {
    return this.locks.withLock('order', () => {
      this.runs += 1;
    });
  }
}

@WebSocketGateway()
class OrdersGateway implements OnGatewayDisconnect {
  readonly begun = new Latch();
  readonly gone = new Latch();
  readonly disconnected = new Latch();

  constructor(private readonly orders: Orders) {}

  handleDisconnect(): void {
    this.disconnected.open();
  }

  @SubscribeMessage('handler')
  @Locked('order')
  async handler() {
    this.orders.runs += 1;
  }

  @SubscribeMessage('service')
  async service() {
    await this.orders.byHand();
  }

  @SubscribeMessage('intercepted')
  @UseInterceptors(LockInterceptor(() => 'order'))
  async intercepted() {
    this.orders.runs += 1;
    await this.gone.opened;
  }

  /** Loads something before it asks for its lock. */
  @SubscribeMessage('late')
  async late() {
    this.begun.open();
    await this.gone.opened;
    await this.orders.byHand();
  }

  /** Starts background work, which continues after the message has been handled. */
  @SubscribeMessage('background')
  background() {
    void this.gone.opened.then(() => this.orders.byHand());
    return { event: 'handled', data: null };
  }
}

async function start() {
  const logger = new RecordingLogger();
  const options = zooKeeper.options();
  const app = await TestApp.start(
    { imports: [LockModule.forRoot(options)], providers: [Orders, OrdersGateway] },
    { logger, configure: (nest) => nest.useWebSocketAdapter(new WsAdapter(nest)) },
  );
  const events = new EventRecorder(app.get(LockService));
  return { app, events, logger, replica: await Replica.open(options), orders: app.get(Orders) };
}

async function connect(app: TestApp): Promise<WebSocket> {
  const socket = new WebSocket(app.url.replace('http', 'ws'));
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

const message = (event: string) => JSON.stringify({ event, data: null });

test.each(['handler', 'service'])(
  'a client that disconnects leaves the queue with all its messages (%s)',
  async (event) => {
    const { app, events, logger, orders, replica } = await start();
    const held = await replica.hold('order');
    const client = await connect(app);
    for (let sent = 0; sent < 15; sent += 1) client.send(message(event));
    await hasWaiters(app.get(LockService), 'order', 15);
    client.terminate();
    await events.told('aborted', 15);
    for (const { reason } of events.ofType('aborted')) expect(reason).toBeInstanceOf(LockCallerGoneError);
    await held.release();
    await replica.becomesFree('order');
    expect(orders.runs).toBe(0);
    expect(logger.messages('error')).toEqual([]);
  },
);

test('a handler behind LockInterceptor keeps its lock when its client disconnects', async () => {
  const { app, orders } = await start();
  const gateway = app.get(OrdersGateway);
  const client = await connect(app);
  client.send(message('intercepted'));
  await eventually(() => orders.runs === 1);
  client.terminate();
  await gateway.disconnected.opened;
  const next = await connect(app);
  next.send(message('handler'));
  await hasWaiters(app.get(LockService), 'order', 1);
  expect(orders.runs).toBe(1);
  gateway.gone.open();
  await eventually(() => orders.runs === 2);
});

test('background work of a handled message may lock after its client has disconnected', async () => {
  const { app, events, orders } = await start();
  const client = await connect(app);
  client.send(message('background'));
  await once(client, 'message');
  client.close();
  await once(client, 'close');
  app.get(OrdersGateway).gone.open();
  await events.told('released');
  expect(orders.runs).toBe(1);
});

test('a message that needs no answer is handled, although its client has closed the connection at once', async () => {
  const { app, events, orders } = await start();
  const client = await connect(app);
  client.send(message('handler'));
  client.close();
  await events.told('released');
  expect(orders.runs).toBe(1);
});

test('a handler that asks for its lock after its client has disconnected does not get it', async () => {
  const { app, events, orders } = await start();
  const gateway = app.get(OrdersGateway);
  const client = await connect(app);
  client.send(message('late'));
  await gateway.begun.opened;
  client.terminate();
  await gateway.disconnected.opened;
  gateway.gone.open();
  await events.told('aborted');
  expect(orders.runs).toBe(0);
});

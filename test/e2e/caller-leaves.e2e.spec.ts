import type { ServerResponse } from 'node:http';
import {
  Body,
  Controller,
  Get,
  Injectable,
  Post,
  Sse,
  UseGuards,
  type CanActivate,
  type MessageEvent,
} from '@nestjs/common';
import { Observable, Subject, of } from 'rxjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  LockCallerGoneError,
  LockModule,
  LockService,
  Locked,
  type LockModuleOptions,
} from '../../lib/index.js';
import { RawSession } from '../support/raw-session.js';
import { eventually } from '../support/eventually.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Latch } from '../fixtures/latch.js';
import { LeavingClient, connections } from '../fixtures/leaving-client.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** The work that runs under the lock. A test sets how long it takes. */
class Work {
  runs = 0;
  during: () => Promise<void> = async () => {};

  async run(): Promise<string> {
    this.runs += 1;
    await this.during();
    return 'done';
  }
}

@Injectable()
class Orders {
  #shared: Promise<string> | undefined;

  constructor(
    private readonly locks: LockService,
    private readonly work: Work,
  ) {}

  byHand(): Promise<string> {
    return this.locks.withLock('order', () => this.work.run());
  }

  @Locked('order')
  async decorated(): Promise<string> {
    return this.work.run();
  }

  /** One piece of work for all clients that ask meanwhile. */
  shared(): Promise<string> {
    return (this.#shared ??= this.byHand().finally(() => (this.#shared = undefined)));
  }
}

@Injectable()
class LockedGuard implements CanActivate {
  constructor(private readonly orders: Orders) {}

  async canActivate(): Promise<boolean> {
    await this.orders.byHand();
    return true;
  }
}

@Controller()
class OrdersController {
  readonly left = new Latch();
  readonly answered = new Latch();

  constructor(
    private readonly locks: LockService,
    private readonly orders: Orders,
    private readonly work: Work,
  ) {}

  @Get('handler')
  @Locked('order')
  async handler(): Promise<string> {
    return this.work.run();
  }

  @Post('body')
  @Locked((body: { name: string }) => body.name)
  async body(@Body() _body: { name: string }): Promise<string> {
    return this.work.run();
  }

  @Get('observable')
  @Locked('order')
  observable(): Observable<string> {
    this.work.runs += 1;
    return of('done');
  }

  @Get('service')
  async service(): Promise<string> {
    return this.orders.byHand();
  }

  @Get('decorated-service')
  async decoratedService(): Promise<string> {
    return this.orders.decorated();
  }

  @Get('guarded')
  @UseGuards(LockedGuard)
  guarded(): void {}

  @Get('skipped')
  @Locked('order', { onBusy: 'skip' })
  async skipped(): Promise<string> {
    return this.work.run();
  }

  @Get('many')
  async many(): Promise<void> {
    await Promise.all(Array.from({ length: 20 }, () => this.orders.byHand()));
  }

  @Get('stays')
  @Locked('order', { whenCallerLeaves: 'stay' })
  async stays(): Promise<string> {
    return this.work.run();
  }

  @Get('shared')
  async shared(): Promise<string> {
    return this.orders.shared();
  }

  @Get('background')
  background(): void {
    void this.orders.byHand();
  }

  /** The client disconnects while this runs, before the lock is requested. */
  @Get('late')
  async late(): Promise<void> {
    await this.left.opened;
    await this.orders.byHand();
  }

  /** Starts background work that continues after the response to the disconnected client has ended. */
  @Get('early')
  async early(): Promise<void> {
    void this.answered.opened.then(() => this.orders.byHand());
    await this.left.opened;
  }

  @Get('signal')
  async signal(): Promise<string> {
    const { signal } = new AbortController();
    return this.locks.withLock('order', { signal }, () => this.work.run());
  }
}

@Controller()
class PricesController {
  constructor(
    private readonly orders: Orders,
    private readonly work: Work,
  ) {}

  @Sse('prices')
  @Locked('order')
  prices(): Observable<MessageEvent> {
    this.work.runs += 1;
    return new Subject<MessageEvent>();
  }

  @Sse('promised-prices')
  @Locked('order')
  async promised(): Promise<Observable<MessageEvent>> {
    this.work.runs += 1;
    return new Subject<MessageEvent>();
  }

  @Sse('service-prices')
  async fromService(): Promise<Observable<MessageEvent>> {
    await this.orders.byHand();
    return new Subject<MessageEvent>();
  }
}

const BODY = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ name: 'order' }),
};
const ROUTES: [path: string, init?: typeof BODY][] = [
  ['/handler'],
  ['/body', BODY],
  ['/observable'],
  ['/service'],
  ['/decorated-service'],
  ['/guarded'],
  ['/skipped'],
  ['/signal'],
];

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function start(overrides?: LockModuleOptions) {
    const options = zooKeeper.options(overrides);
    const logger = new RecordingLogger();
    const responses: ServerResponse[] = [];
    const app = await TestApp.start(
      {
        imports: [LockModule.forRoot(options)],
        controllers: [OrdersController, PricesController],
        providers: [Work, Orders, LockedGuard],
      },
      {
        adapter,
        logger,
        configure: (nest) =>
          nest.use((_request: unknown, response: ServerResponse, next: () => void) => {
            responses.push(response);
            next();
          }),
      },
    );
    const events = new EventRecorder(app.get(LockService));
    const observer = await RawSession.connect(zooKeeper.server);
    onTestFinished(() => observer.destroy());
    const tree = () => observer.getChildren(`${options.root}/order`);
    const replica = await Replica.open(options);
    return { app, events, logger, replica, responses, tree, work: app.get(Work) };
  }

  test.each(ROUTES)(
    'five clients of %s that disconnect leave the queue, and nothing runs for them',
    async (path, init) => {
      const { app, events, logger, replica, tree, work } = await start();
      const held = await replica.hold('order');
      const clients = Array.from({ length: 5 }, () => LeavingClient.connect(app.url, path, init));
      await hasWaiters(app.get(LockService), 'order', 5);
      for (const client of clients) client.leave();
      await hasWaiters(app.get(LockService), 'order', 0);
      expect(await tree()).toHaveLength(1);
      await events.told('aborted', 5);
      for (const { reason } of events.ofType('aborted')) expect(reason).toBeInstanceOf(LockCallerGoneError);
      await held.release();
      await replica.becomesFree('order');
      expect(events.ofType('acquired')).toEqual([]);
      expect(work.runs).toBe(0);
      expect(logger.messages('error')).toEqual([]);
      expect((await app.fetch(path, init)).ok).toBe(true);
      expect(work.runs).toBe(1);
    },
  );

  test('a request that waits for many locks leaves all queues when its client disconnects', async () => {
    const { app, replica, work } = await start();
    await replica.hold('order');
    const client = LeavingClient.connect(app.url, '/many');
    await hasWaiters(app.get(LockService), 'order', 20);
    client.leave();
    await hasWaiters(app.get(LockService), 'order', 0);
    expect(work.runs).toBe(0);
  });

  test.each(['/prices', '/promised-prices', '/service-prices'])(
    'a client of the event stream %s that disconnects leaves the queue',
    async (path) => {
      const { app, events, replica, work } = await start();
      const held = await replica.hold('order');
      const client = LeavingClient.connect(app.url, path);
      await hasWaiters(app.get(LockService), 'order', 1);
      client.leave();
      await hasWaiters(app.get(LockService), 'order', 0);
      await events.told('aborted');
      await held.release();
      await replica.becomesFree('order');
      expect(work.runs).toBe(0);
    },
  );

  test('a request whose client disconnected before the lock was requested does not get it', async () => {
    const { app, events, work } = await start();
    const client = LeavingClient.connect(app.url, '/late');
    await client.left(app);
    app.get(OrdersController).left.open();
    const { reason } = await events.told('aborted');
    expect(reason).toBeInstanceOf(LockCallerGoneError);
    expect(events.ofType('acquired')).toEqual([]);
    expect(work.runs).toBe(0);
  });

  test('background work after the response to a disconnected client may lock again', async () => {
    const { app, events, responses, work } = await start();
    const client = LeavingClient.connect(app.url, '/early');
    await client.left(app);
    const controller = app.get(OrdersController);
    controller.left.open();
    await eventually(() => responses[0]?.writableEnded === true);
    controller.answered.open();
    await events.told('released');
    expect(work.runs).toBe(1);
  });

  test('a client that disconnects while the method runs does not end the hold', async () => {
    const { app, events, replica, work } = await start();
    const finished = new Latch();
    work.during = () => finished.opened;
    const client = LeavingClient.connect(app.url, '/handler');
    await eventually(() => work.runs === 1);
    await client.left(app);
    expect(await replica.isFree('order')).toBe(false);
    finished.open();
    await events.told('released');
    expect(events.types).toEqual(expect.arrayContaining(['acquired', 'released']));
    expect(events.ofType('lost')).toEqual([]);
  });

  test("whenCallerLeaves: 'stay' does the work although the client has disconnected", async () => {
    const { app, events, replica, work } = await start();
    const held = await replica.hold('order');
    const client = LeavingClient.connect(app.url, '/stays');
    await hasWaiters(app.get(LockService), 'order', 1);
    await client.left(app);
    await held.release();
    await events.told('released');
    expect(work.runs).toBe(1);
  });

  test('whenCallerLeaves can be set as a default of the module', async () => {
    const { app, events, replica, work } = await start({ defaults: { whenCallerLeaves: 'stay' } });
    const held = await replica.hold('order');
    const client = LeavingClient.connect(app.url, '/service');
    await hasWaiters(app.get(LockService), 'order', 1);
    await client.left(app);
    await held.release();
    await events.told('released');
    expect(work.runs).toBe(1);
  });

  test('a client that shares the work of one that disconnects is asked to try again', async () => {
    const { app, replica, work } = await start();
    const held = await replica.hold('order');
    const client = LeavingClient.connect(app.url, '/shared');
    await hasWaiters(app.get(LockService), 'order', 1);
    const other = app.fetch('/shared');
    await eventually(async () => (await connections(app)) === 2);
    client.leave();
    const response = await other;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toEqual({
      statusCode: 503,
      code: 'LOCK_CALLER_GONE',
      message: 'The work was cancelled. Try again.',
    });
    await held.release();
    expect((await app.fetch('/shared')).status).toBe(200);
    expect(work.runs).toBe(1);
  });

  test('background work of an answered request continues to wait', async () => {
    const { app, events, replica, work } = await start();
    const held = await replica.hold('order');
    await (await app.fetch('/background')).text();
    await hasWaiters(app.get(LockService), 'order', 1);
    await eventually(async () => (await connections(app)) === 0);
    await held.release();
    await events.told('released');
    expect(work.runs).toBe(1);
  });
});

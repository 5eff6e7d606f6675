import { once } from 'node:events';
import type { Socket } from 'node:net';
import {
  Controller,
  Injectable,
  Req,
  Sse,
  UseInterceptors,
  type CallHandler,
  type MessageEvent,
  type NestInterceptor,
} from '@nestjs/common';
import { Observable, Subject, map, of } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { LockInterceptor, LockModule, LockService, Locked } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { HttpStream } from '../fixtures/http-stream.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Latch } from '../fixtures/latch.js';
import { Replica } from '../fixtures/replica.js';
import { everythingOf, expectNoSecrets, holdSecretly } from '../fixtures/secrets.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Prices {
  readonly changes$ = new Subject<number>();
  readonly left = new Latch();
  readonly prepared = new Latch();
}

class Transparent implements NestInterceptor {
  intercept(_context: unknown, next: CallHandler) {
    return next.handle();
  }
}

@Controller()
class PricesController {
  constructor(private readonly prices: Prices) {}

  @Sse('stream')
  @Locked('prices')
  stream(): Observable<MessageEvent> {
    return this.prices.changes$.pipe(map((price) => ({ data: { price } })));
  }

  @Locked('prices')
  @Sse('promised')
  async promised(): Promise<Observable<MessageEvent>> {
    return this.prices.changes$.pipe(map((price) => ({ data: { price } })));
  }

  @Sse('prepared')
  @UseInterceptors(LockInterceptor(() => 'prices'))
  async prepared(@Req() request: { readonly socket: Socket }): Promise<Observable<MessageEvent>> {
    await once(request.socket, 'close');
    this.prices.left.open();
    await this.prices.prepared.opened;
    return of();
  }

  /** Nest drops what it returns, because its client has left. */
  @Sse('dropped')
  @Locked('prices')
  async dropped(@Req() request: { readonly socket: Socket }): Promise<Observable<MessageEvent>> {
    await once(request.socket, 'close');
    return this.prices.changes$.pipe(map((price) => ({ data: { price } })));
  }

  @Sse('busy')
  @Locked('secret-order', { wait: 0 })
  async busy(): Promise<Observable<MessageEvent>> {
    return this.prices.changes$.pipe(map((price) => ({ data: { price } })));
  }

  @Sse('late')
  @Locked('secret-order', { wait: 100 })
  late(): Observable<MessageEvent> {
    return this.prices.changes$.pipe(map((price) => ({ data: { price } })));
  }

  @Sse('intercepted')
  @UseInterceptors(LockInterceptor(() => 'secret-order', { wait: 100 }))
  async intercepted(): Promise<Observable<MessageEvent>> {
    return this.prices.changes$.pipe(map((price) => ({ data: { price } })));
  }

  @Sse('surrounded')
  @UseInterceptors(Transparent)
  @Locked('secret-order', { wait: 100 })
  async surrounded(): Promise<Observable<MessageEvent>> {
    return this.prices.changes$.pipe(map((price) => ({ data: { price } })));
  }

  @Sse('brief')
  @Locked('secret-order', 300)
  brief(): Observable<MessageEvent> {
    return this.prices.changes$.pipe(map((price) => ({ data: { price } })));
  }
}

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function start() {
    const options = zooKeeper.options();
    const app = await TestApp.start(
      { imports: [LockModule.forRoot(options)], controllers: [PricesController], providers: [Prices] },
      { adapter },
    );
    return { app, replica: await Replica.open(options), prices: app.get(Prices) };
  }

  test.each(['stream', 'promised'])('a client that disconnects frees the lock (%s)', async (route) => {
    const { app, replica, prices } = await start();
    const stream = await HttpStream.open(`${app.url}/${route}`);
    await eventually(() => prices.changes$.observed);
    prices.changes$.next(42);
    await stream.reads('{"price":42}');
    expect(await replica.isFree('prices')).toBe(false);
    stream.disconnect();
    await replica.becomesFree('prices');
    expect(prices.changes$.observed).toBe(false);
  });

  test('an async handler behind LockInterceptor keeps the lock while it runs, although its client has left', async () => {
    const { app, replica, prices } = await start();
    const stream = new AbortController();
    const answer = app.fetch('/prepared', { signal: stream.signal }).catch(() => {});
    await eventually(async () => !(await replica.isFree('prices')));
    stream.abort();
    await answer;
    await prices.left.opened;
    expect(await replica.locks.tryLock('prices')).toBeNull();
    prices.prepared.open();
    await replica.becomesFree('prices');
  });

  test('a client that disconnects before an async handler has returned its events frees the lock then', async () => {
    const { app, replica, prices } = await start();
    const stream = new AbortController();
    const answer = app.fetch('/dropped', { signal: stream.signal }).catch(() => {});
    await eventually(async () => !(await replica.isFree('prices')));
    stream.abort();
    await answer;
    await replica.becomesFree('prices');
    expect(prices.changes$.observed).toBe(false);
  });

  test('a second client is served after the first has disconnected', async () => {
    const { app, replica, prices } = await start();
    const first = await HttpStream.open(`${app.url}/stream`);
    await eventually(() => prices.changes$.observed);
    const second = HttpStream.open(`${app.url}/stream`);
    await hasWaiters(app.get(LockService), 'prices', 1);
    first.disconnect();
    await eventually(async () => (await replica.locks.inspect('prices')).waiters.length === 0);
    await eventually(() => prices.changes$.observed);
    prices.changes$.next(7);
    prices.changes$.complete();
    await (await second).reads('{"price":7}');
    await (
      await second
    ).ended;
    await replica.becomesFree('prices');
  });

  test('losing the lock ends the stream with an error message, without names', async () => {
    const { app } = await start();
    const stream = await HttpStream.open(`${app.url}/brief`);
    await stream.reads('event: error');
    await stream.ended;
    expectNoSecrets(stream.text);
  });

  test('a lock that is busy before the stream has started is answered 423', async () => {
    const { app, replica } = await start();
    await holdSecretly(replica);
    const response = await app.fetch('/busy');
    expect(response.status).toBe(423);
    expect(response.headers.get('Retry-After')).toBe('1');
    expectNoSecrets(await everythingOf(response));
  });

  test.each(['late', 'intercepted', 'surrounded'])(
    'a lock that is busy after the stream has started ends the stream with an error message (%s)',
    async (route) => {
      const { app, replica } = await start();
      await holdSecretly(replica);
      const response = await app.fetch(`/${route}`);
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toContain('event: error');
      expectNoSecrets(text);
    },
  );
});

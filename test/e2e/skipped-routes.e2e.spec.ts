import { Controller, Get, Res, Sse, UseInterceptors, type MessageEvent } from '@nestjs/common';
import { Observable, lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { LockInterceptor, LockModule, Locked } from '../../lib/index.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** The response of Express or Fastify. */
interface Reply {
  send(text: string): void;
}

@Controller()
class Reports {
  @Get('promise')
  @Locked('report', { wait: 0, onBusy: 'skip' })
  async promise(): Promise<string> {
    return 'ran';
  }

  @Get('below')
  @Locked('report', { wait: 0, onBusy: 'skip' })
  below(): Observable<string> {
    return of('ran');
  }

  @Locked('report', { wait: 0, onBusy: 'skip' })
  @Get('above')
  above(): Observable<string> {
    return of('ran');
  }

  // Without a return type, so the compiler emits none as metadata.
  @Get('untyped')
  @Locked('report', { wait: 0, onBusy: 'skip' })
  untyped() {
    return of('ran');
  }

  @Get('thrown')
  @Locked('report', { wait: 0 })
  thrown(): Observable<string> {
    return of('ran');
  }

  @Get('passthrough')
  @Locked('report', { wait: 0, onBusy: 'skip' })
  async passthrough(@Res({ passthrough: true }) _response: Reply): Promise<string> {
    return 'ran';
  }

  @Get('own')
  @Locked('report', { wait: 0, onBusy: 'skip' })
  async own(@Res() response: Reply): Promise<void> {
    response.send('ran');
  }

  @Get('own-intercepted')
  @UseInterceptors(LockInterceptor(() => 'report', { wait: 0, onBusy: 'skip' }))
  async ownIntercepted(@Res() response: Reply): Promise<void> {
    response.send('ran');
  }

  @Sse('intercepted-events')
  @UseInterceptors(LockInterceptor(() => 'report', { wait: 0, onBusy: 'skip' }))
  interceptedEvents(): Observable<MessageEvent> {
    return of({ data: 'ran' });
  }

  @Sse('events')
  @Locked('report', { wait: 0, onBusy: 'skip' })
  events(): Observable<MessageEvent> {
    return of({ data: 'ran' });
  }

  @Sse('promised-events')
  @Locked('report', { wait: 0, onBusy: 'skip' })
  async promisedEvents(): Promise<Observable<MessageEvent>> {
    return of({ data: 'ran' });
  }

  @Sse('untyped-events')
  @Locked('report', { wait: 0, onBusy: 'skip' })
  untypedEvents() {
    return of({ data: 'ran' });
  }

  @Locked('report', { wait: 0, onBusy: 'skip' })
  values(): Observable<string> {
    return of('ran');
  }
}

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function start() {
    const options = zooKeeper.options();
    const app = await TestApp.start(
      { imports: [LockModule.forRoot(options)], controllers: [Reports] },
      { adapter },
    );
    const get = async (route: string) => {
      const response = await app.fetch(`/${route}`);
      return [response.status, await response.text()];
    };
    return { app, get, replica: await Replica.open(options) };
  }

  test.each(['promise', 'below', 'above', 'untyped', 'passthrough'])(
    'a skipped route has an empty response (%s)',
    async (route) => {
      const { get, replica } = await start();
      expect(await get(route)).toEqual([200, 'ran']);
      await replica.hold('report');
      expect(await get(route)).toEqual([200, '']);
    },
  );

  test.each(['thrown', 'own', 'own-intercepted'])(
    'a route that does not skip, or whose handler sends the response, is answered 423 (%s)',
    async (route) => {
      const { get, replica } = await start();
      expect(await get(route)).toEqual([200, 'ran']);
      await replica.hold('report');
      expect(await get(route)).toEqual([423, expect.stringContaining('LOCK_BUSY')]);
    },
  );

  test.each(['events', 'promised-events', 'untyped-events', 'intercepted-events'])(
    'a skipped event stream is empty (%s)',
    async (route) => {
      const { get, replica } = await start();
      expect(await get(route)).toEqual([200, expect.stringContaining('data: ran')]);
      await replica.hold('report');
      expect(await get(route)).toEqual([200, expect.not.stringContaining('data')]);
    },
  );

  test('a skipped Observable of another method is empty', async () => {
    const { app, replica } = await start();
    await replica.hold('report');
    expect(await lastValueFrom(app.get(Reports).values().pipe(toArray()))).toEqual([]);
  });
});

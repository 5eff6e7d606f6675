import {
  Controller,
  Get,
  Headers,
  Injectable,
  Sse,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type MessageEvent,
  type NestInterceptor,
} from '@nestjs/common';
import { Observable, Subject, map } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { LockConfigurationError, LockInterceptor, LockModule, LockService, Locked } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { HttpStream } from '../fixtures/http-stream.js';
import { Latch } from '../fixtures/latch.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { NEST_MAJOR } from '../fixtures/nest-version.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { CriticalSectionLog } from '../fixtures/critical-section-log.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

class Work {
  readonly log = new CriticalSectionLog();
  readonly first = new Latch();
  readonly changes$ = new Subject<number>();
  cleanedUpUnderLock: boolean | undefined;
}

interface Request {
  readonly headers: Record<string, string | undefined>;
}

const byTenant = (context: ExecutionContext) =>
  `tenant:${context.switchToHttp().getRequest<Request>().headers['x-tenant']}`;

@Injectable()
class PassingOn implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<number>): Observable<unknown> {
    return next.handle();
  }
}

@Controller()
class Imports {
  constructor(private readonly work: Work) {}

  @Get('import')
  @UseInterceptors(LockInterceptor(byTenant, 60_000))
  async import(@Headers('x-tenant') tenant: string) {
    await this.work.log.enter(tenant, () => this.work.first.opened);
    return { locked: LockService.current()?.resource };
  }

  @Get('busy')
  @UseInterceptors(LockInterceptor(byTenant, { wait: 0 }))
  async busy() {}

  @Get('skipped')
  @UseInterceptors(LockInterceptor(byTenant, { wait: 0, onBusy: 'skip' }))
  async skipped() {
    return { ran: true };
  }

  @Sse('stream')
  @UseInterceptors(LockInterceptor(() => 'stream'))
  stream(): Observable<MessageEvent> {
    return this.work.changes$.pipe(map((data) => ({ data: { data } })));
  }

  @Get('rows')
  @UseInterceptors(LockInterceptor(() => 'stream'))
  async *rows() {
    try {
      yield `${LockService.currentOrThrow().resource},`;
      await this.work.first.opened;
      yield LockService.currentOrThrow().isHeld() ? 'held' : 'released';
    } finally {
      this.work.cleanedUpUnderLock = LockService.currentOrThrow().isHeld();
    }
  }

  @Sse('intercepted')
  @UseInterceptors(PassingOn)
  @Locked('stream')
  intercepted(): Observable<MessageEvent> {
    return this.work.changes$.pipe(map((data) => ({ data: { data } })));
  }
}

@Controller()
class Plain {
  @Get('plain')
  plain() {
    return { locked: LockService.current()?.resource };
  }
}

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function start() {
    const options = zooKeeper.options();
    const replica = await Replica.open(options);
    const app = await TestApp.start(
      {
        imports: [LockModule.forRoot(options)],
        controllers: [Imports],
        providers: [Work],
      },
      { adapter },
    );
    const get = (path: string, tenant?: string) =>
      app.fetch(path, tenant === undefined ? {} : { headers: { 'x-tenant': tenant } });
    return { app, replica, get, work: app.get(Work) };
  }

  test('requests whose context results in the same name run one after the other', async () => {
    const { app, get, replica, work } = await start();
    const requests = [get('/import', 'a'), get('/import', 'a'), get('/import', 'a')];
    await hasWaiters(app.get(LockService), 'tenant:a', 2);
    const { holder } = await replica.locks.inspect('tenant:a');
    expect(holder?.owner?.purpose).toBe('Imports.import');
    work.first.open();
    for (const response of await Promise.all(requests)) {
      expect(await response.json()).toEqual({ locked: 'tenant:a' });
    }
    expect(work.log.overlaps()).toEqual([]);
    expect(await replica.isFree('tenant:a')).toBe(true);
  });

  test('a busy lock is passed to the filter as an error, or skipped', async () => {
    const { get, replica } = await start();
    await replica.hold('tenant:a');
    expect((await get('/busy', 'a')).status).toBe(423);
    const skipped = await get('/skipped', 'a');
    expect([skipped.status, await skipped.text()]).toEqual([200, '']);
    expect(await (await get('/skipped', 'b')).json()).toEqual({ ran: true });
  });

  test('a name with a missing part is rejected', async () => {
    const { get } = await start();
    const response = await get('/busy');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'LOCK_CONFIGURATION' });
  });

  test.each(['stream', 'intercepted'])('the lock is held until the stream ends (%s)', async (route) => {
    const { app, replica, work } = await start();
    const stream = await HttpStream.open(`${app.url}/${route}`);
    await eventually(() => work.changes$.observed);
    work.changes$.next(42);
    await stream.reads('{"data":42}');
    expect(await replica.isFree('stream')).toBe(false);
    stream.disconnect();
    await replica.becomesFree('stream');
  });

  describe.skipIf(NEST_MAJOR < 12)('a generator that is sent as a streamed body', () => {
    test('keeps the lock until it ends', async () => {
      const { app, replica, work } = await start();
      const stream = await HttpStream.open(`${app.url}/rows`);
      await stream.reads('stream,');
      expect(await replica.isFree('stream')).toBe(false);
      work.first.open();
      await stream.ended;
      expect(stream.text).toBe('stream,held');
      await replica.becomesFree('stream');
    });

    test('keeps it until the client leaves, and cleans up under it', async () => {
      const { app, replica, work } = await start();
      const stream = await HttpStream.open(`${app.url}/rows`);
      await stream.reads('stream,');
      stream.disconnect();
      // A generator can be left only between two steps.
      work.first.open();
      await replica.becomesFree('stream');
      expect(work.cleanedUpUnderLock).toBe(true);
    });
  });
});

test('invalid options throw when the interceptor is created', () => {
  const write = () => LockInterceptor(byTenant, { ttl: -1, onBusy: 'wait' as never });
  expect(write).toThrow(LockConfigurationError);
  expect(write).toThrow(/^2 problems:\n- LockInterceptor: `ttl`.+\n- LockInterceptor: `onBusy`/);
});

describe('an interceptor created with `new`', () => {
  test('locks with the service that it is given', async () => {
    const options = zooKeeper.options();
    const replica = await Replica.open(options);
    const app = await TestApp.start(
      { imports: [LockModule.forRoot(options)], controllers: [Plain] },
      {
        configure: (nest) => {
          const Interceptor = LockInterceptor(() => 'everything');
          nest.useGlobalInterceptors(new Interceptor(nest.get(LockService)));
        },
      },
    );
    expect(await (await app.fetch('/plain')).json()).toEqual({ locked: 'everything' });
    expect(await replica.isFree('everything')).toBe(true);
  });

  test.for([
    [{}, 'new (LockInterceptor(key))(app.get(LockService))'],
    [{ service: 'second' }, "new (LockInterceptor(key))(app.get(getLockServiceToken('second')))"],
  ] as const)('is refused at once without the service (%o)', ([options, solution]) => {
    const create = () => new (LockInterceptor(() => 'everything', options))();
    expect(create).toThrow(LockConfigurationError);
    expect(create).toThrow(solution);
  });
});

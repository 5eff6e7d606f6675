import {
  Controller,
  Get,
  Injectable,
  RequestTimeoutException,
  StreamableFile,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Readable } from 'node:stream';
import { Observable, Subject, takeUntil, throwIfEmpty } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { LockInterceptor, LockModule, LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { CriticalSectionLog } from '../fixtures/critical-section-log.js';
import { Latch } from '../fixtures/latch.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

class Work {
  readonly log = new CriticalSectionLog();
  readonly end = new Latch();
  readonly changes$ = new Subject<number>();
  readonly timeout$ = new Subject<void>();
  readonly file = Readable.from(['content']);
  begun = 0;
}

@Injectable()
class TimingOut implements NestInterceptor {
  constructor(private readonly work: Work) {}

  intercept(_context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(
      takeUntil(this.work.timeout$),
      throwIfEmpty(() => new RequestTimeoutException()),
    );
  }
}

const LockedImport = LockInterceptor(() => 'import');

@Controller()
class Imports {
  constructor(private readonly work: Work) {}

  @Get('slow')
  @UseInterceptors(TimingOut, LockedImport)
  async slow(): Promise<void> {
    this.work.begun += 1;
    await this.work.log.enter('import', () => this.work.end.opened);
  }

  @Get('failing')
  @UseInterceptors(TimingOut, LockedImport)
  async failing(): Promise<void> {
    await this.slow();
    throw new Error('the import failed');
  }

  /** Its return type is unknown before the call. */
  @Get('delegated')
  @UseInterceptors(TimingOut, LockedImport)
  delegated() {
    return this.slow();
  }

  @Get('file')
  @UseInterceptors(TimingOut, LockedImport)
  async file(): Promise<StreamableFile> {
    await this.slow();
    return new StreamableFile(this.work.file);
  }

  @Get('silent')
  @UseInterceptors(TimingOut, LockedImport)
  silent(): Observable<number> {
    return this.work.changes$;
  }
}

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function start() {
    const options = zooKeeper.options();
    const app = await TestApp.start(
      { imports: [LockModule.forRoot(options)], controllers: [Imports], providers: [Work] },
      { adapter },
    );
    return { app, replica: await Replica.open(options), work: app.get(Work) };
  }

  test.each(['slow', 'failing', 'delegated'])(
    'a handler that runs on after a timeout keeps its lock until it ends (%s)',
    async (route) => {
      const { app, replica, work } = await start();
      const timedOut = app.fetch(`/${route}`);
      await eventually(() => work.begun === 1);
      work.timeout$.next();
      expect((await timedOut).status).toBe(408);
      const next = app.fetch('/slow');
      await hasWaiters(app.get(LockService), 'import', 1);
      expect(work.begun).toBe(1);
      work.end.open();
      expect((await next).status).toBe(200);
      expect(work.log.overlaps()).toEqual([]);
      await replica.becomesFree('import');
    },
  );

  test('a file that a handler returns after a timeout is closed', async () => {
    const { app, work } = await start();
    const timedOut = app.fetch('/file');
    await eventually(() => work.begun === 1);
    work.timeout$.next();
    expect((await timedOut).status).toBe(408);
    work.end.open();
    await eventually(() => work.file.destroyed);
  });

  test('a handler that returns an Observable is unsubscribed from at a timeout, and frees the lock', async () => {
    const { app, replica, work } = await start();
    const timedOut = app.fetch('/silent');
    await eventually(() => work.changes$.observed);
    work.timeout$.next();
    expect((await timedOut).status).toBe(408);
    await replica.becomesFree('import');
    expect(work.changes$.observed).toBe(false);
  });
});

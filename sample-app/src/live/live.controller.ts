import { Controller, Get, Res, Sse, type BeforeApplicationShutdown, type MessageEvent } from '@nestjs/common';
import { LockHealthIndicator, type LockHealth } from 'nestjs-locked';
import { Observable, ReplaySubject, map, merge, takeUntil } from 'rxjs';
import { Board } from './live-state.js';
import { EventFeed } from './event-feed.js';
import { readable } from './readable.js';

@Controller()
export class LiveController implements BeforeApplicationShutdown {
  private readonly closing = new ReplaySubject<void>(1);

  constructor(
    private readonly feed: EventFeed,
    private readonly board: Board,
    private readonly health: LockHealthIndicator,
  ) {}

  /** Everything that happens to the locks of this process. */
  @Sse('events')
  events(): Observable<MessageEvent> {
    return this.feed.events$.pipe(
      map((event) => ({ type: 'lock', data: JSON.stringify(event, readable) })),
      takeUntil(this.closing),
    );
  }

  /** All that the page needs, in one stream: a browser does not open many. */
  @Sse('live')
  live(): Observable<MessageEvent> {
    const changes$ = this.board.changes$.pipe(map((data) => ({ type: 'board', data })));
    return merge(this.events(), changes$).pipe(takeUntil(this.closing));
  }

  @Get('health')
  check(@Res({ passthrough: true }) response: { status(code: number): void }): LockHealth<'locks'> {
    const health = this.health.check('locks');
    response.status(health.locks.status === 'up' ? 200 : 503);
    return health;
  }

  /** The server closes when all requests have ended, and `events$` only after it: these streams would never end. */
  beforeApplicationShutdown(): void {
    this.closing.next();
  }
}

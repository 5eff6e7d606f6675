import { Controller, Get, Res, Sse, type BeforeApplicationShutdown, type MessageEvent } from '@nestjs/common';
import { LockHealthIndicator, type LockHealth } from 'nestjs-locked';
import { Observable, ReplaySubject, map, merge, takeUntil } from 'rxjs';
import { LiveState } from './live-state.js';
import { EventFeed } from './event-feed.js';
import { readable } from './readable.js';

@Controller()
export class LiveController implements BeforeApplicationShutdown {
  private readonly closing = new ReplaySubject<void>(1);

  constructor(
    private readonly feed: EventFeed,
    private readonly state: LiveState,
    private readonly health: LockHealthIndicator,
  ) {}

  /** The lock events of this process. */
  @Sse('events')
  events(): Observable<MessageEvent> {
    return this.feed.events$.pipe(
      map((event) => ({ type: 'lock', data: JSON.stringify(event, readable) })),
      takeUntil(this.closing),
    );
  }

  /** Everything the page needs in one stream, because browsers limit the number of connections. */
  @Sse('live')
  live(): Observable<MessageEvent> {
    const changes$ = this.state.changes$.pipe(map((data) => ({ type: 'state', data })));
    return merge(this.events(), changes$).pipe(takeUntil(this.closing));
  }

  @Get('health')
  check(@Res({ passthrough: true }) response: { status(code: number): void }): LockHealth<'locks'> {
    const health = this.health.check('locks');
    response.status(health.locks.status === 'up' ? 200 : 503);
    return health;
  }

  /** Ends the streams: the server closes only after all requests have ended, and `events$` completes only after that. */
  beforeApplicationShutdown(): void {
    this.closing.next();
  }
}

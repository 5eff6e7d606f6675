import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { LockModule } from 'nestjs-locked';
import { LiveState } from './live/live-state.js';
import { EventFeed } from './live/event-feed.js';
import { LiveController } from './live/live.controller.js';
import { LocksController } from './live/locks.controller.js';
import { PrinterController } from './printer/printer.controller.js';
import { PrinterPages } from './printer/printer-pages.js';
import { TicketPrinter } from './printer/ticket-printer.js';
import { settings } from './settings.js';
import { BoxOffice } from './shows/box-office.js';
import { Journal } from './shows/journal.js';
import { SeatPlans } from './shows/seat-plans.js';
import { SeatsController } from './shows/seats.controller.js';
import { ShowsController } from './shows/shows.controller.js';

const CAPACITY = 40;

@Module({
  imports: [
    LockModule.forRoot({
      ...(settings.zookeeper ? { connectString: settings.zookeeper } : settings.embeddedZooKeeper),
      root: '/box-office',
      defaults: { wait: 30_000, ttl: 10_000 },
    }),
  ],
  controllers: [SeatsController, ShowsController, PrinterController, LocksController, LiveController],
  providers: [BoxOffice, SeatPlans, Journal, TicketPrinter, PrinterPages, EventFeed, LiveState],
})
export class AppModule implements OnApplicationBootstrap {
  constructor(private readonly boxOffice: BoxOffice) {}

  /** Opens two shows, unless another process has opened them already. */
  async onApplicationBootstrap(): Promise<void> {
    await this.boxOffice.openUnlessOpen('matinee', CAPACITY);
    await this.boxOffice.openUnlessOpen('evening', CAPACITY);
  }
}

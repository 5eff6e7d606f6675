import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, HttpCode, Logger, Param, ParseEnumPipe, Post } from '@nestjs/common';
import { Locked } from 'nestjs-locked';
import { WholeNumberPipe } from '../whole-number.pipe.js';
import { BoxOffice } from './box-office.js';
import { ShowNamePipe } from './show-name.pipe.js';
import type { Ticket } from './show.interface.js';

enum Counter {
  unlocked = 'unlocked',
  locked = 'locked',
}

/** The time in which a crowd arrives. */
const CROWD_ARRIVES_MS = 500;

/** Two counters that sell the same way. One line is the difference. */
@Controller()
export class SeatsController {
  private readonly logger = new Logger(SeatsController.name);

  constructor(private readonly boxOffice: BoxOffice) {}

  @Post('unlocked/shows/:id/seats')
  buyUnlocked(@Param('id', ShowNamePipe) show: string): Promise<Ticket> {
    return this.boxOffice.sell(show);
  }

  @Post('locked/shows/:id/seats')
  @Locked('show:{0}')
  buyLocked(@Param('id', ShowNamePipe) show: string): Promise<Ticket> {
    return this.boxOffice.sell(show);
  }

  /** Sends many customers for the page, because a browser sends at most six requests at a time. Responds immediately. */
  @Post(':counter/shows/:id/crowds')
  @HttpCode(202)
  admitCrowd(
    @Param('counter', new ParseEnumPipe(Counter)) counter: Counter,
    @Param('id', ShowNamePipe) show: string,
    @Body('customers', new WholeNumberPipe('customers', 1, 300)) customers: number,
  ): { customers: number } {
    for (let count = 0; count < customers; count++) void this.admit(counter, show);
    return { customers };
  }

  private async admit(counter: Counter, show: string): Promise<void> {
    await sleep(Math.random() * CROWD_ARRIVES_MS);
    try {
      // `@Locked` also applies to direct calls.
      await (counter === Counter.locked ? this.buyLocked(show) : this.buyUnlocked(show));
    } catch (error) {
      this.logger.debug(`A customer of the crowd left without a ticket: ${String(error)}`);
    }
  }
}

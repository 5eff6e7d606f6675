import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { WholeNumberPipe } from '../whole-number.pipe.js';
import { BoxOffice } from './box-office.js';
import { ShowNamePipe } from './show-name.pipe.js';
import type { ShowReport, Visit } from './show.interface.js';

@Controller('shows')
export class ShowsController {
  constructor(private readonly boxOffice: BoxOffice) {}

  @Get(':id')
  report(@Param('id', ShowNamePipe) show: string): Promise<ShowReport> {
    return this.boxOffice.report(show);
  }

  /** The visits to the counters of all processes, in order. */
  @Get(':id/visits')
  visits(@Param('id', ShowNamePipe) show: string): Promise<Visit[]> {
    return this.boxOffice.visits(show);
  }

  /** Opens or reopens a show with all seats free. */
  @Put(':id')
  async open(
    @Param('id', ShowNamePipe) show: string,
    @Body('capacity', new WholeNumberPipe('capacity', 1, 500)) capacity: number,
  ): Promise<ShowReport> {
    await this.boxOffice.open(show, capacity);
    return this.boxOffice.report(show);
  }
}

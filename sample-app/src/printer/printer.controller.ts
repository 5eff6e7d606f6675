import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, Get, Post, Put } from '@nestjs/common';
import { LockService, Locked } from 'nestjs-locked';
import { WholeNumberPipe } from '../whole-number.pipe.js';
import type { PrinterPage, PrinterReport } from './printer-page.interface.js';
import { TicketPrinter } from './ticket-printer.js';

@Controller('printer')
export class PrinterController {
  constructor(private readonly printer: TicketPrinter) {}

  @Get()
  report(): Promise<PrinterReport> {
    return this.printer.report();
  }

  /**
   * Prints under a lock that lasts 1.5 s at most. With a longer `pauseMs` it becomes the stale writer: its request is
   * answered when the lock is lost, but its code runs on, as it would after a long garbage collection. Better code
   * stops on the `signal` of its lock; only the guard protects from code that cannot.
   */
  @Post('pages')
  @Locked('printer', { ttl: 1_500 })
  async print(
    @Body('text') text: unknown,
    @Body('pauseMs', new WholeNumberPipe('pauseMs', 0, 20_000, 0)) pauseMs: number,
  ): Promise<PrinterPage> {
    const { fencingToken } = LockService.currentOrThrow();
    await sleep(pauseMs);
    return this.printer.print(typeof text === 'string' ? text.slice(0, 80) : 'a ticket', fencingToken);
  }

  /** As if the printer were a new one, which has met no token but this request's own. */
  @Put('paper')
  @Locked('printer')
  newPaper(): Promise<PrinterPage> {
    return this.printer.newPaper(LockService.currentOrThrow().fencingToken);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
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
   * Prints under a lock with a ttl of 1.5 s. With a longer `pauseMs` it becomes the stale writer: the request fails when
   * the lock is lost, but its code continues, as it would after a long garbage collection. Better code stops on the
   * `signal` of its lock; only fencing protects against code that cannot.
   */
  @Post('pages')
  @Locked('printer', { ttl: 1_500 })
  async print(
    @Body('text') text: unknown,
    @Body('pauseMs', new WholeNumberPipe('pauseMs', 0, 20_000, 0)) pauseMs: number,
  ): Promise<PrinterPage> {
    const held = LockService.currentOrThrow();
    await sleep(pauseMs);
    return this.printer.print(typeof text === 'string' ? text.slice(0, 80) : 'a ticket', held);
  }

  /** Makes the printer forget all tokens but that of this request. */
  @Post('reset')
  @HttpCode(200)
  @Locked('printer')
  reset(): Promise<PrinterPage> {
    return this.printer.reset(LockService.currentOrThrow().fencingToken);
  }
}

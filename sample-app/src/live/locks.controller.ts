import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, Get, HttpCode, Logger, Param, Post } from '@nestjs/common';
import { LockService, type LockSnapshot } from 'nestjs-locked';
import { WholeNumberPipe } from '../whole-number.pipe.js';

@Controller('locks')
export class LocksController {
  private readonly logger = new Logger(LocksController.name);

  constructor(private readonly locks: LockService) {}

  /** Who holds a lock, and who waits for it. */
  @Get(':resource')
  inspect(@Param('resource') resource: string): Promise<LockSnapshot> {
    return this.locks.inspect(resource);
  }

  /** Takes a lock and keeps it for some seconds, so that one can watch the others queue. Answered at once. */
  @Post(':resource/holds')
  @HttpCode(202)
  hold(
    @Param('resource') resource: string,
    @Body('seconds', new WholeNumberPipe('seconds', 1, 60)) seconds: number,
  ): { resource: string; seconds: number } {
    const options = { ttl: (seconds + 5) * 1_000, purpose: `held by hand for ${seconds} s` };
    this.locks
      .withLock(resource, options, ({ signal }) => sleep(seconds * 1_000, undefined, { signal }))
      .catch((error: unknown) => this.logger.warn(`The hold by hand ended early: ${String(error)}`));
    return { resource, seconds };
  }
}

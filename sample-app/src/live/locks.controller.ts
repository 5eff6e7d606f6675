import { setTimeout as sleep } from 'node:timers/promises';
import { Body, Controller, Get, HttpCode, Logger, Param, Post } from '@nestjs/common';
import { LockService, type LockSnapshot } from 'nestjs-locked';
import { WholeNumberPipe } from '../whole-number.pipe.js';

@Controller('locks')
export class LocksController {
  private readonly logger = new Logger(LocksController.name);

  constructor(private readonly locks: LockService) {}

  /** The holder and the waiters of a lock. */
  @Get(':resource')
  inspect(@Param('resource') resource: string): Promise<LockSnapshot> {
    return this.locks.inspect(resource);
  }

  /** Holds a lock for some seconds, so that others have to queue. Responds immediately. */
  @Post(':resource/holds')
  @HttpCode(202)
  hold(
    @Param('resource') resource: string,
    @Body('seconds', new WholeNumberPipe('seconds', 1, 60)) seconds: number,
  ): { resource: string; seconds: number } {
    const options = { ttl: (seconds + 5) * 1_000, purpose: `held by hand for ${seconds} s` };
    this.locks
      .withLock(resource, options, ({ signal }) => sleep(seconds * 1_000, undefined, { signal }))
      .catch((error: unknown) => this.logger.warn(`The manual hold ended early: ${String(error)}`));
    return { resource, seconds };
  }
}

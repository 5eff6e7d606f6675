import { Injectable } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { LockModule } from 'nestjs-locked';
import { LockedCron, type Tick } from 'nestjs-locked/schedule';
import { LockTesting, LockTestingModule } from 'nestjs-locked/testing';

@Injectable()
class Reports {
  readonly ticks: Tick[] = [];

  // The test calls it: the scheduler leaves it alone.
  @LockedCron('nightly-report', '0 3 * * *', { timeZone: 'UTC', disabled: true, waitForCompletion: true })
  async report(tick: Tick): Promise<void> {
    this.ticks.push(tick);
  }
}

it('a job runs once at a scheduled time, however often it is started', async () => {
  const module = await Test.createTestingModule({
    imports: [ScheduleModule.forRoot(), LockModule.forRoot({}), LockTestingModule.forRoot()],
    providers: [Reports],
  }).compile();
  await module.init();
  const job = module.get(SchedulerRegistry).getCronJob('nightly-report');

  await job.fireOnTick();
  await job.fireOnTick();

  const { ticks } = module.get(Reports);
  expect(ticks.map(({ scheduledAt }) => scheduledAt.getUTCHours())).toEqual([3]);
  module.get(LockTesting).assertNothingHeld();
  await module.close();
});

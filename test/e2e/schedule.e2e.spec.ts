import { Injectable } from '@nestjs/common';
import { Cron, CronExpression, Interval, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { expect, test } from 'vitest';
import { LockModule, LockService, Locked } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { Replica } from '../fixtures/replica.js';
import { TestApp } from '../fixtures/test-app.js';
import { CriticalSectionLog } from '../fixtures/critical-section-log.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** Shared by all replicas of a test. */
class Work {
  readonly log = new CriticalSectionLog();
}

/** Jobs that record whether they ran under their lock. */
@Injectable()
class Jobs {
  readonly ran = new Set<string>();

  constructor(private readonly work: Work) {}

  @Locked('interval-above', { wait: 0, onBusy: 'skip' })
  @Interval(20)
  async intervalAbove() {
    await this.#run('interval-above');
  }

  @Interval(20)
  @Locked('interval-below', { wait: 0, onBusy: 'skip' })
  async intervalBelow() {
    await this.#run('interval-below');
  }

  @Locked('cron-above', { wait: 0, onBusy: 'skip' })
  @Cron(CronExpression.EVERY_SECOND, { name: 'above' })
  async cronAbove() {
    await this.#run('cron-above');
  }

  @Cron(CronExpression.EVERY_SECOND, { name: 'below' })
  @Locked('cron-below', { wait: 0, onBusy: 'skip' })
  async cronBelow() {
    await this.#run('cron-below');
  }

  async #run(name: string): Promise<void> {
    await this.work.log.enter(name, () => {
      if (LockService.current(name)?.isHeld()) this.ran.add(name);
    });
  }
}

test('jobs of two replicas run under their locks, never concurrently', async () => {
  const work = new Work();
  const options = zooKeeper.options();
  const metadata = {
    imports: [ScheduleModule.forRoot(), LockModule.forRoot(options)],
    providers: [Jobs, { provide: Work, useValue: work }],
  };
  const replicas = [await TestApp.start(metadata), await TestApp.start(metadata)];
  const all = ['cron-above', 'cron-below', 'interval-above', 'interval-below'];
  for (const replica of replicas) {
    const { ran } = replica.get(Jobs);
    await eventually(() => expect([...ran].sort()).toEqual(all), { timeoutMs: 40_000 });
  }
  for (const name of all) {
    expect(work.log.entries.filter(({ key }) => key === name).length).toBeGreaterThan(1);
  }
  expect(work.log.overlaps()).toEqual([]);
});

test('a job whose lock is busy is skipped, without an error in the log', async () => {
  const options = zooKeeper.options();
  const holder = await Replica.open(options);
  await holder.hold('cron-above');
  const logger = new RecordingLogger();
  const app = await TestApp.start(
    { imports: [ScheduleModule.forRoot(), LockModule.forRoot(options)], providers: [Jobs, Work] },
    { logger },
  );
  const log = new EventRecorder(app.get(LockService));
  await eventually(() => log.ofType('busy').some(({ resource }) => resource === 'cron-above'));
  expect(app.get(Jobs).ran).not.toContain('cron-above');
  expect(logger.messages('error')).toEqual([]);
});

test('the scheduler finds locked jobs by their names', async () => {
  const app = await TestApp.start({
    imports: [ScheduleModule.forRoot(), LockModule.forRoot(zooKeeper.options())],
    providers: [Jobs, Work],
  });
  const registry = app.get(SchedulerRegistry);
  expect([...registry.getCronJobs().keys()].sort()).toEqual(['above', 'below']);
});

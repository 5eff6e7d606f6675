import { Injectable, Scope, type Provider } from '@nestjs/common';
import { Cron, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { CronTime } from 'cron';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LockConfigurationError, LockService, type LockModuleOptions } from '../../lib/index.js';
import { LockedCron, type LockedCronOptions, type Tick } from '../../lib/schedule/index.js';
import { resolveLockedCronOptions } from '../../lib/schedule/locked-cron-options.js';
import { FakeLockService } from '../../lib/testing/index.js';
import { eventually } from '../support/eventually.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Latch } from '../fixtures/latch.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();
const START = Date.UTC(2027, 0, 1, 3);

/** What the replicas of a test have run. */
class Runs {
  readonly ticks: Tick[] = [];
  /** Runs end at once unless a test sets it. */
  work: (tick: Tick) => Promise<unknown> = async () => {};

  get seconds(): number[] {
    return this.ticks.map(({ scheduledAt }) => (scheduledAt.getTime() - START) / 1_000);
  }
}

/** As the scheduler sees it. */
interface Sweeper {
  sweep(): Promise<unknown>;
}

function jobs(options?: LockedCronOptions): Provider {
  @Injectable()
  class Jobs {
    constructor(private readonly runs: Runs) {}

    // The tests call it at the scheduled times.
    @LockedCron('sweep', '* * * * * *', { timeZone: 'UTC', disabled: true, ...options } as LockedCronOptions)
    async sweep(tick: Tick): Promise<unknown> {
      this.runs.ticks.push(tick);
      expect(LockService.currentOrThrow('sweep')).toMatchObject({
        fencingToken: tick.fencingToken,
        purpose: 'Jobs.sweep',
      });
      return this.runs.work(tick);
    }
  }
  return { provide: 'jobs', useClass: Jobs };
}

/** A replica of the application. */
async function replica(runs: Runs, options: LockModuleOptions, job?: LockedCronOptions) {
  const logger = new RecordingLogger();
  const module = await startModule(
    options,
    { imports: [ScheduleModule.forRoot()], providers: [jobs(job), { provide: Runs, useValue: runs }] },
    logger,
  );
  return {
    logger,
    locks: module.get(LockService),
    registry: module.get(SchedulerRegistry),
    job: () => module.get(SchedulerRegistry).getCronJob('sweep'),
    /** As the scheduler calls it. */
    fire: () => module.get<Sweeper>('jobs').sweep(),
    close: () => module.close(),
  };
}

/** Sets the clock to a time after the start, s. Locks are kept for as long as it moves only forward, and not far. */
function setClock(seconds: number): void {
  vi.setSystemTime(START + seconds * 1_000);
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }));
afterEach(() => void vi.useRealTimers());

describe('@LockedCron', () => {
  test('names its cron job after the lock, also if the name of @Cron is undefined', async () => {
    const { job } = await replica(new Runs(), zooKeeper.options(), { name: undefined as never });
    expect(job().cronTime.source).toBe('* * * * * *');
  });

  test('runs each scheduled time in one replica, also if another one comes late or has just started', async () => {
    const runs = new Runs();
    const options = zooKeeper.options();
    const [first, second] = [await replica(runs, options), await replica(runs, options)];
    await Promise.all([first.fire(), second.fire()]);
    expect(runs.seconds).toEqual([0]);
    setClock(1.1);
    await first.fire();
    setClock(1.6);
    await second.fire();
    await (await replica(runs, options)).fire();
    expect(runs.seconds).toEqual([0, 1]);
    setClock(2);
    await second.fire();
    expect(runs.seconds).toEqual([0, 1, 2]);
    expect(runs.ticks.map(({ previous }) => previous?.getTime())).toEqual([undefined, START, START + 1_000]);
    const tokens = runs.ticks.map(({ fencingToken }) => fencingToken);
    expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  test.each([
    ['repeat', [0, 0]],
    ['skip', [0]],
  ] as const)(
    'with `interrupted: %s`, hands on a scheduled time whose runner stops in the middle, or does not',
    async (interrupted, seconds) => {
      const runs = new Runs();
      const stopped = new Latch();
      runs.work = () => stopped.opened;
      const options = zooKeeper.options({ drainTimeout: 0 });
      const first = await replica(runs, options, { interrupted });
      const second = await replica(runs, options, { interrupted });
      const interruptedRun = first.fire().catch((error: unknown) => error);
      await eventually(() => runs.ticks.length === 1);
      const waiting = second.fire();
      await hasWaiters(second.locks, 'sweep', 1);
      runs.work = async () => {};
      await first.close();
      expect(await interruptedRun).toMatchObject({ code: 'LOCK_LOST', reason: 'shutdown' });
      await waiting;
      expect(runs.seconds).toEqual(seconds);
      stopped.open();
    },
  );

  test('runs only the latest of the scheduled times that pass during a run, in one of the replicas', async () => {
    const runs = new Runs();
    const ended = new Latch();
    runs.work = () => ended.opened;
    const options = zooKeeper.options();
    const [first, second] = [await replica(runs, options), await replica(runs, options)];
    const calls = [first.fire()];
    await eventually(() => runs.ticks.length === 1);
    calls.push(second.fire());
    for (const seconds of [1, 2, 3]) {
      setClock(seconds);
      calls.push(first.fire(), second.fire());
    }
    await hasWaiters(second.locks, 'sweep', 1);
    ended.open();
    await Promise.all(calls);
    expect(runs.seconds).toEqual([0, 3]);
    expect(runs.ticks[1]!.previous).toEqual(new Date(START));
  });

  test('does not repeat a run that fails, and leaves the error to the scheduler', async () => {
    const runs = new Runs();
    runs.work = async () => {
      throw new Error('disk full');
    };
    const options = zooKeeper.options();
    const [first, second] = [await replica(runs, options), await replica(runs, options)];
    await first.job().fireOnTick();
    // Nest has one logger: that of the application that started last.
    const errors = () => second.logger.messages('error');
    await eventually(() => expect(errors()).toEqual(['Error: disk full']));
    await second.fire();
    expect(runs.seconds).toEqual([0]);
    expect(errors()).toHaveLength(1);
  });

  test('does nothing if it is called by hand while the application closes and has no cron jobs any more', async () => {
    const runs = new Runs();
    const { registry, fire, locks } = await replica(runs, zooKeeper.options());
    const busy = await locks.lock('other');
    const closing = locks.close();
    registry.deleteCronJob('sweep');
    expect(await fire()).toBeUndefined();
    await busy.release();
    await closing;
    expect(runs.ticks).toEqual([]);
  });

  test('stops waiting when the application closes, without an error', async () => {
    const runs = new Runs();
    const ended = new Latch();
    runs.work = () => ended.opened;
    const options = zooKeeper.options();
    const [first, second] = [await replica(runs, options), await replica(runs, options)];
    const running = first.fire();
    await eventually(() => runs.ticks.length === 1);
    const waiting = second.fire();
    await hasWaiters(second.locks, 'sweep', 1);
    await second.close();
    expect(await waiting).toBeUndefined();
    ended.open();
    await running;
    expect(runs.seconds).toEqual([0]);
  });

  test('follows the job when the application changes its schedule', async () => {
    const runs = new Runs();
    const { job, fire } = await replica(runs, zooKeeper.options());
    job().setTime(new CronTime('*/5 * * * * *', 'UTC'));
    setClock(4);
    await fire();
    expect(runs.seconds).toEqual([0]);
  });

  test('does not run before a date that is its schedule', async () => {
    const runs = new Runs();
    const { job, fire } = await replica(runs, zooKeeper.options());
    job().setTime(new CronTime(new Date(START + 5_000)));
    setClock(4);
    expect(await fire()).toBeUndefined();
    expect(runs.seconds).toEqual([]);
    setClock(5);
    await fire();
    expect(runs.seconds).toEqual([5]);
  });

  test('runs a time that passes while the scheduler starts the job, which is not in the registry yet', async () => {
    const runs = new Runs();
    const { job, registry, fire } = await replica(runs, zooKeeper.options());
    const starting = job();
    registry.deleteCronJob('sweep');
    const fired = fire();
    registry.addCronJob('sweep', starting);
    await fired;
    expect(runs.seconds).toEqual([0]);
  });

  test('passes the options of @Cron on', async () => {
    const { job } = await replica(new Runs(), zooKeeper.options(), {
      timeZone: 'Europe/Paris',
      waitForCompletion: true,
    });
    expect(job()).toMatchObject({ name: 'sweep', waitForCompletion: true, isActive: false });
    expect(job().cronTime.timeZone).toBe('Europe/Paris');
  });

  test('is called by the scheduler', async () => {
    vi.useRealTimers();
    const runs = new Runs();
    const options = zooKeeper.options();
    for (const _replica of [1, 2]) await replica(runs, options, { disabled: false });
    await eventually(() => runs.ticks.length >= 3);
    for (const { scheduledAt } of runs.ticks) expect(scheduledAt.getMilliseconds()).toBe(0);
    expect(new Set(runs.seconds).size).toBe(runs.seconds.length);
  });

  test('with FakeLockService, a scheduled time runs once, and not while its lock is busy', async () => {
    const runs = new Runs();
    const locks = new FakeLockService();
    const module = await Test.createTestingModule({
      imports: [ScheduleModule.forRoot()],
      providers: [jobs(), { provide: Runs, useValue: runs }, { provide: LockService, useValue: locks }],
    }).compile();
    await module.init();
    const fire = () => module.get<Sweeper>('jobs').sweep();
    runs.work = async () => 'swept';
    expect([await fire(), await fire()]).toEqual(['swept', undefined]);
    setClock(1);
    locks.setBusy('sweep');
    expect(await fire()).toBeUndefined();
    locks.setBusy('sweep', false);
    expect(await fire()).toBe('swept');
    runs.work = async () => locks.lose('sweep');
    setClock(2);
    await expect(fire()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await module.close();
  });
});

test('options of a class, with getters, count as those of an object', () => {
  class Terms {
    get timeZone() {
      return 'Europe/Paris';
    }

    get interrupted() {
      return 'skip' as const;
    }
  }
  expect(resolveLockedCronOptions(new Terms())).toMatchObject({
    cron: { timeZone: 'Europe/Paris' },
    interrupted: 'skip',
  });
});

describe('a mistake with @LockedCron is named', () => {
  test.each([
    ['request', Scope.REQUEST, 'request'],
    ['transient', Scope.TRANSIENT, 'class that injects it'],
  ])('a class with the scope %s', async (_name, scope, madeFor) => {
    @Injectable({ scope })
    class Scoped {
      @LockedCron('scoped', '* * * * *')
      async sweep() {}
    }
    const starting = startModule(zooKeeper.options(), {
      imports: [ScheduleModule.forRoot()],
      providers: [Scoped],
    });
    await expect(starting).rejects.toThrow(LockConfigurationError);
    await expect(starting).rejects.toThrow(
      `Scoped.sweep has @LockedCron, but its object is made for each ${madeFor}`,
    );
  });

  test('two schedules for one method', () => {
    const load = () => {
      class Twice {
        @LockedCron('first', '* * * * *')
        @LockedCron('second', '* * * * *')
        async sweep() {}
      }
      return Twice;
    };
    expect(load).toThrow('Twice.sweep has @LockedCron twice');
  });

  test.each<[what: string, decorate: () => unknown, message: string]>([
    [
      'one argument more',
      () => Reflect.apply(LockedCron, undefined, ['sweep', '* * * * *', {}, 5]) as unknown,
      '@LockedCron takes a name, a cron expression, and options: got one more argument, 5 (number)',
    ],
    ['no name', () => LockedCron('', '* * * * *'), "A resource name must be a non-empty string: got ''"],
    [
      'options that are no object',
      () => LockedCron('sweep', '* * * * *', 5_000 as never),
      '@LockedCron takes an object of options: got 5000',
    ],
    [
      'bad options',
      () => LockedCron('sweep', '* * * * *', { ttl: -1, interrupted: 'never' as never }),
      "@LockedCron: `interrupted` must be 'repeat' or 'skip'",
    ],
    [
      'a misspelt option',
      () => LockedCron('sweep', '* * * * *', { interupted: 'skip' } as never),
      "@LockedCron: unknown option 'interupted': accepted are interrupted, ttl, service, name, timeZone",
    ],
    [
      'an empty name for cron',
      () => LockedCron('sweep', '* * * * *', { name: '' }),
      "@LockedCron: `name` must be a non-empty string: got ''",
    ],
    [
      'a class',
      () => LockedCron('sweep', '* * * * *')(Map as never, undefined!, undefined!),
      'cannot be used on',
    ],
    ['no parentheses', () => LockedCron({} as never, 'sweep', {}), 'was used without parentheses'],
  ])('%s', (_what, decorate, message) => {
    expect(decorate).toThrow(LockConfigurationError);
    expect(decorate).toThrow(message);
  });

  test('a method whose name is a symbol, which the scheduler would not find, when its class is loaded', () => {
    const load = () => {
      const SWEEP = Symbol('sweep');
      class Hidden {
        @LockedCron('sweep', '* * * * *')
        async [SWEEP](): Promise<void> {}
      }
      return Hidden;
    };
    expect(load).toThrow(LockConfigurationError);
    expect(load).toThrow(
      '@LockedCron cannot be used on the method Hidden.Symbol(sweep), because Nest would not find it',
    );
  });

  test('an application without a scheduler, at the call', async () => {
    const module = await startModule(zooKeeper.options(), { providers: [jobs(), Runs] });
    const called = module.get<Sweeper>('jobs').sweep();
    await expect(called).rejects.toThrow(
      "Jobs.sweep is @LockedCron, but the application has no cron job 'sweep'",
    );
  });

  test('an application without a scheduler, by a warning at the start', async () => {
    const logger = new RecordingLogger();
    await startModule(zooKeeper.options(), { providers: [jobs(), Runs] }, logger);
    expect(logger.messages('warn')).toContainEqual(
      'Jobs.sweep has @LockedCron and will never run, because the application does not import ScheduleModule.forRoot() of ' +
        '@nestjs/schedule',
    );
  });

  test('a method that overrides a scheduled one without the decorator, by a warning at the start', async () => {
    const logger = new RecordingLogger();
    class Jobs {
      @LockedCron('given', '* * * * *', { disabled: true })
      async sweep(): Promise<void> {}
    }
    class OtherJobs extends Jobs {
      override async sweep(): Promise<void> {}
    }
    await startModule(
      zooKeeper.options(),
      { imports: [ScheduleModule.forRoot()], providers: [OtherJobs] },
      logger,
    );
    expect(logger.messages('warn')).toContainEqual(
      'OtherJobs.sweep overrides a method with @LockedCron, and has none itself, so that it never runs. Decorate it too',
    );
  });

  test('an application with a scheduler is not warned, whoever has made the object', async () => {
    const logger = new RecordingLogger();
    class Jobs {
      @LockedCron('given', '* * * * *', { disabled: true })
      async sweep(): Promise<void> {}
    }
    const providers = [{ provide: 'given', useValue: new Jobs() }];
    await startModule(zooKeeper.options(), { imports: [ScheduleModule.forRoot()], providers }, logger);
    expect(logger.messages('warn').filter((message) => message.includes('will never run'))).toEqual([]);
  });

  test.each([
    ['the name', { name: undefined }, 'sweep'],
    ['the cron job', { name: 'sweep-job' }, 'sweep-job'],
  ])('two methods with %s in common, at the start', async (_what, options, name) => {
    @Injectable()
    class Sweeps {
      @LockedCron(options.name === undefined ? 'sweep' : 'other', '* * * * *', options)
      async again(): Promise<void> {}
    }
    const started = startModule(zooKeeper.options(), {
      imports: [ScheduleModule.forRoot()],
      providers: [jobs(options), Runs, Sweeps],
    });
    await expect(started).rejects.toThrow(LockConfigurationError);
    await expect(started).rejects.toThrow(
      `Jobs.sweep and Sweeps.again both have @LockedCron with the name '${name}', so that one of them would never run`,
    );
  });

  test.each([
    ['@Cron', Cron('0 0 1 1 *')],
    ['@Interval', Interval(60_000)],
    ['@Timeout', Timeout(60_000)],
  ])('a method with %s above it, at the start, and below it, when the class is loaded', async (_, Other) => {
    const text = 'sweep has both @LockedCron and @Cron, @Interval or @Timeout, one of which would replace';
    class Jobs {
      @Other
      @LockedCron('sweep', '* * * * *')
      async sweep(): Promise<void> {}
    }
    const started = startModule(zooKeeper.options(), {
      imports: [ScheduleModule.forRoot()],
      providers: [Jobs],
    });
    await expect(started).rejects.toThrow(`Jobs.${text}`);
    expect(() => {
      class Others {
        @LockedCron('sweep', '* * * * *')
        @Other
        async sweep(): Promise<void> {}
      }
      return Others;
    }).toThrow(`Others.${text}`);
  });

  test('an object that Nest has not made, at the call', async () => {
    class Jobs {
      @LockedCron('sweep', '* * * * *')
      async sweep(): Promise<void> {}
    }
    await expect(new Jobs().sweep()).rejects.toThrow(
      'Jobs.sweep is @LockedCron, but its object was not made by Nest',
    );
  });

  test('an invalid cron expression, at the start', async () => {
    @Injectable()
    class Jobs {
      @LockedCron('sweep', 'every day')
      async sweep(): Promise<void> {}
    }
    const started = startModule(zooKeeper.options(), {
      imports: [ScheduleModule.forRoot()],
      providers: [Jobs],
    });
    await expect(started).rejects.toThrow('Unknown alias');
  });
});

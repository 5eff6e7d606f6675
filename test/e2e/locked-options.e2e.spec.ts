import { Injectable } from '@nestjs/common';
import { Observable, defer, lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, test } from 'vitest';
import {
  LockBusyError,
  LockService,
  LockTimeoutError,
  Locked,
  type LockModuleOptions,
} from '../../lib/index.js';
import { LockTesting, LockTestingModule } from '../../lib/testing/index.js';
import { eventually } from '../support/eventually.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

/** Shorter than the session timeout: while time is advanced, replicas of the application send no heartbeats. */
const WAIT_MS = 4_000;

const zooKeeper = useZooKeeper();

@Injectable()
class Jobs {
  runs = 0;

  @Locked('job', { wait: 0, onBusy: 'skip' })
  async promise() {
    return (this.runs += 1);
  }

  @Locked('job', { wait: 0, onBusy: 'skip' })
  observable(): Observable<number> {
    return defer(() => of((this.runs += 1)));
  }

  @Locked('job', { wait: 0, onBusy: 'skip' })
  async *generator() {
    yield (this.runs += 1);
  }

  @Locked('job', { wait: WAIT_MS, onBusy: 'skip' })
  async patient() {
    return (this.runs += 1);
  }

  @Locked('job', { wait: 0, onBusy: 'skip' })
  async failing() {
    throw new LockBusyError('something else', undefined);
  }

  @Locked(
    () => {
      throw new LockBusyError('something else', undefined);
    },
    { onBusy: 'skip' },
  )
  async failingKey() {}

  @Locked('job')
  async plain() {
    return (this.runs += 1);
  }

  @Locked('job', { minHold: 60_000, wait: 0, onBusy: 'skip' })
  async lingering() {
    return (this.runs += 1);
  }

  @Locked('job', { minHold: 500 })
  async lingeringBriefly() {}
}

async function start(overrides?: LockModuleOptions) {
  const options = zooKeeper.options(overrides);
  const replica = await Replica.open(options);
  const module = await startModule(options, { providers: [Jobs] });
  const locks = module.get(LockService);
  return { options, replica, locks, jobs: module.get(Jobs), log: new EventRecorder(locks) };
}

/** The same in manual time, which advances by `wait` when the next waiter is in the queue. */
async function startInManualTime(overrides: LockModuleOptions = {}) {
  const module = await startModule(overrides, {
    imports: [LockTestingModule.forRoot({ time: 'manual' })],
    providers: [Jobs],
  });
  const testing = module.get(LockTesting);
  const replica = await Replica.open({ connectString: testing.zookeeper.connectString });
  const passWait = async () => {
    await eventually(() => testing.waiters('job').length === 1);
    await testing.advance(WAIT_MS);
  };
  return { replica, jobs: module.get(Jobs), passWait };
}

describe("onBusy: 'skip'", () => {
  const calls: [what: string, call: (jobs: Jobs) => Promise<unknown>, skipped: unknown, ran: unknown][] = [
    ['a promise', (jobs) => jobs.promise(), undefined, 1],
    ['an Observable', (jobs) => lastValueFrom(jobs.observable().pipe(toArray())), [], [1]],
    ['a generator', (jobs) => collect(jobs.generator()), [], [1]],
  ];

  async function collect(steps: AsyncIterable<unknown>): Promise<unknown[]> {
    const values: unknown[] = [];
    for await (const value of steps) values.push(value);
    return values;
  }

  test.each(calls)('%s returns no value when the lock is busy', async (_what, call, skipped, ran) => {
    const { jobs, replica } = await start();
    const held = await replica.hold('job');
    expect(await call(jobs)).toEqual(skipped);
    expect(jobs.runs).toBe(0);
    await held.release();
    expect(await call(jobs)).toEqual(ran);
  });

  test('a promise resolves without a value when the lock is still busy after the wait', async () => {
    const { jobs, replica, passWait } = await startInManualTime();
    const held = await replica.hold('job');
    const [outcome] = await Promise.all([jobs.patient(), passWait()]);
    expect(outcome).toBeUndefined();
    expect(jobs.runs).toBe(0);
    await held.release();
    expect(await jobs.patient()).toBe(1);
  });

  test('errors of the method are not skipped, even if they are busy errors of another lock', async () => {
    const { jobs } = await start();
    await expect(jobs.failing()).rejects.toThrow("Lock 'something else' is busy");
    await expect(jobs.failingKey()).rejects.toThrow("Lock 'something else' is busy");
  });
});

test('methods wait as long as the defaults of the module allow', async () => {
  const { jobs, replica, passWait } = await startInManualTime({ defaults: { wait: WAIT_MS } });
  await replica.hold('job');
  await Promise.all([expect(jobs.plain()).rejects.toBeInstanceOf(LockTimeoutError), passWait()]);
});

test.each<LockModuleOptions>([{ defaults: { wait: 0 } }, { maxAttempts: 1 }])(
  'with %j a busy lock fails immediately, and the error names its holder',
  async (overrides) => {
    const { jobs, replica, log } = await start(overrides);
    await replica.hold('job');
    await expect(jobs.plain()).rejects.toBeInstanceOf(LockBusyError);
    await expect(jobs.plain()).rejects.toThrow("Lock 'job' is busy, held by replica");
    expect(log.types).toEqual(['busy', 'busy']);
    await replica.hasWaiters('job', 0);
  },
);

test('minHold keeps the lock after the method has returned', async () => {
  const { jobs, replica, log } = await start({ drainTimeout: 0 });
  expect(await jobs.lingering()).toBe(1);
  expect(await replica.locks.tryLock('job')).toBeNull();
  expect(await jobs.lingering()).toBeUndefined();
  expect(log.types).toEqual(['acquired', 'busy']);
});

test('the lock is free after minHold', async () => {
  const { jobs, replica, log } = await start();
  await jobs.lingeringBriefly();
  await replica.becomesFree('job');
  expect(log.types).toEqual(['acquired', 'released']);
  expect(log.ofType('released')[0]!.heldMs).toBeGreaterThanOrEqual(500);
});

test('resourceName and a chroot are parts of the lock path', async () => {
  const { options, locks } = await start();
  const { root } = options;
  const byName = await Replica.open({ ...options, root: `${root}/of`, resourceName: 'a/shop' });
  const byChroot = await Replica.open({
    connectString: `${zooKeeper.server.connectString}${root}`,
    createChroot: true,
    root: '/of/a%2Fshop',
  });
  await byName.hold('order');
  expect(await byChroot.locks.tryLock('order')).toBeNull();
  expect(await locks.withLock('order', { wait: 0 }, () => 'another lock')).toBe('another lock');
});

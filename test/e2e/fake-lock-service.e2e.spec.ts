import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { filter, firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, expect, test, onTestFinished, vi } from 'vitest';
import {
  InjectLockService,
  LockBusyError,
  LockConfigurationError,
  LockDeadlockError,
  LockFairnessError,
  LockHealthIndicator,
  LockLostError,
  LockModule,
  LockService,
  LockUnavailableError,
  Locked,
  getLockServiceToken,
  type LockModuleOptions,
} from '../../lib/index.js';
import { FakeLockService } from '../../lib/testing/index.js';
import { eventually } from '../support/eventually.js';
import { LoopbackListener } from '../support/loopback-listener.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';

/** Counts the connections that an application under test attempts. */
let listener: LoopbackListener;
let connections = 0;

beforeEach(async () => {
  connections = 0;
  listener = await LoopbackListener.open((socket) => {
    connections += 1;
    socket.destroy();
  });
});

afterEach(() => {
  listener.refuse();
  expect(connections).toBe(0);
});

/** Beyond the integers of a `number`, as in production. */
const FIRST_TOKEN = 2n ** 53n;

@Injectable()
class Orders {
  paid: string[] = [];

  constructor(
    readonly locks: LockService,
    @InjectLockService('archive') readonly archive: LockService,
  ) {}

  @Locked('order:{0}', 5_000)
  async pay(id: string) {
    this.paid.push(id);
    return LockService.current()?.fencingToken;
  }

  @Locked('order:{0}', { wait: 0, onBusy: 'skip' })
  async payOnce(id: string) {
    this.paid.push(id);
  }

  @Locked('order:{0}', { service: 'archive' })
  async store(id: string) {
    return LockService.current()?.resource === `order:${id}`;
  }

  @Locked('report')
  async report() {
    await new Promise(() => {});
  }
}

async function start(): Promise<{ module: TestingModule; orders: Orders; fake: FakeLockService }> {
  const server = { host: '127.0.0.1', port: listener.port };
  const fake = new FakeLockService();
  const module = await Test.createTestingModule({
    imports: [
      LockModule.forRootAsync({ useFactory: () => server }),
      LockModule.forRoot({ ...server, name: 'archive' }),
    ],
    providers: [Orders],
  })
    .overrideProvider(LockService)
    .useValue(fake)
    .overrideProvider(getLockServiceToken('archive'))
    .useClass(FakeLockService)
    .setLogger(new RecordingLogger())
    .compile();
  // An open application warns about its shutdown hooks after a while, through the logger of whatever test runs then.
  endedWithTest({ [Symbol.asyncDispose]: () => module.close() });
  await module.init();
  return { module, fake, orders: module.get(Orders) };
}

test('the application starts without a connection, and its methods run under locks', async () => {
  const { module, orders, fake } = await start();
  expect(orders.locks).toBe(fake);
  expect(orders.archive).toBeInstanceOf(FakeLockService);
  expect(await orders.pay('1')).toBe(FIRST_TOKEN);
  expect(await orders.pay('2')).toBe(FIRST_TOKEN + 1n);
  expect(await orders.store('3')).toBe(true);
  expect(fake.granted).toEqual(['order:1', 'order:2']);
  expect(fake.held).toEqual([]);
  expect(fake.state).toBe('connected');
  expect(module.get(LockHealthIndicator).check('locks')).toEqual({
    locks: { status: 'up', state: 'connected' },
  });
  await module.close();
  expect(fake.state).toBe('closed');
});

test('a busy lock is busy for all methods until the test frees it', async () => {
  const { orders, fake } = await start();
  fake.setBusy('order:42');
  await expect(orders.pay('42')).rejects.toBeInstanceOf(LockBusyError);
  await orders.payOnce('42');
  expect(await fake.tryLock('order:42')).toBeNull();
  expect(orders.paid).toEqual([]);
  expect(await orders.pay('43')).toBe(FIRST_TOKEN);
  fake.setBusy('order:42', false);
  await orders.payOnce('42');
  expect(orders.paid).toEqual(['43', '42']);
});

test('without a connection all methods reject with that error', async () => {
  const { orders, fake } = await start();
  fake.setUnavailable();
  await expect(orders.pay('42')).rejects.toBeInstanceOf(LockUnavailableError);
  await expect(orders.payOnce('42')).rejects.toBeInstanceOf(LockUnavailableError);
  fake.setUnavailable(false);
  expect(await orders.pay('42')).toBe(FIRST_TOKEN);
});

test('without a connection the service is suspended and not healthy, until it is available again', async () => {
  const { module, fake } = await start();
  const health = module.get(LockHealthIndicator);
  const log = new EventRecorder(fake);
  const held = await fake.lock('order:42');
  fake.setUnavailable();
  fake.setUnavailable();
  expect(health.check('locks')).toEqual({ locks: { status: 'down', state: 'suspended' } });
  expect(held.isHeld()).toBe(true);
  fake.setUnavailable(false);
  expect(health.check('locks')).toEqual({ locks: { status: 'up', state: 'connected' } });
  expect(log.types).toEqual(['acquired', 'suspended', 'resumed']);

  await fake.beforeApplicationShutdown();
  expect(health.check('locks')).toEqual({ locks: { status: 'down', state: 'connected' } });
  await module.close();
  fake.setUnavailable();
  expect(fake.state).toBe('closed');
});

test('what a test has read of the locks does not change later', async () => {
  const { fake } = await start();
  const { held: none, granted: nothing } = fake;
  const lock = await fake.lock('order:42', { owner: 'till 1', purpose: 'payment' });
  const { held, granted } = fake;
  expect(held).toEqual([{ resource: 'order:42', fencingToken: FIRST_TOKEN }]);
  expect((await fake.inspect('order:42')).holder?.owner).toMatchObject({
    owner: 'till 1',
    purpose: 'payment',
  });
  await lock.release();
  await fake.lock('order:43');
  expect([none, nothing]).toEqual([[], []]);
  expect(held).toHaveLength(1);
  expect(granted).toEqual(['order:42']);
});

test('a lock that is lost ends the method, with the real error and the real events', async () => {
  const { orders, fake } = await start();
  const log = new EventRecorder(fake);
  const reporting = orders.report();
  await log.told('acquired');
  expect(fake.held).toMatchObject([{ resource: 'report', fencingToken: FIRST_TOKEN }]);
  expect((await fake.inspect('report')).holder?.fencingToken).toBe(FIRST_TOKEN);
  fake.lose('report', 'deleted');
  await expect(reporting).rejects.toBeInstanceOf(LockLostError);
  await expect(reporting).rejects.toMatchObject({ resource: 'report', reason: 'deleted' });
  expect(log.types).toEqual(['acquired', 'lost']);
  expect(fake.held).toEqual([]);
});

test('a lock that nobody holds cannot be lost: its name may be misspelt', async () => {
  const { fake } = await start();
  expect(() => fake.lose('report')).toThrow(
    "lose('report') finds no lock with this name that is held; none is. Call it",
  );
  await fake.lock('report');
  expect(() => fake.lose('reprot')).toThrow("held are: 'report'");
  expect(fake.held).toHaveLength(1);
});

test('a ttl and minHold end under the fake timers of the documentation', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const fake = new FakeLockService();
  const held = await fake.lock('report', 5_000);
  const kept = await fake.lock('mail', { minHold: 5_000 });
  await kept.release();
  await vi.advanceTimersByTimeAsync(4_999);
  expect([held.isHeld(), fake.held.length]).toEqual([true, 2]);
  await vi.advanceTimersByTimeAsync(1);
  expect([held.isHeld(), fake.held]).toEqual([false, []]);
});

test('a request to release a lock is an event of its holder', async () => {
  const { fake } = await start();
  const log = new EventRecorder(fake);
  expect(await fake.requestRelease('report')).toBe(false);
  const held = await fake.lock('report');
  expect(await fake.requestRelease('report')).toBe(true);
  expect(log.ofType('revokeRequested')).toMatchObject([
    { resource: 'report', fencingToken: held.fencingToken },
  ]);
  expect(await held.release()).toBe(true);
});

test('a person can free a lock that fails closed, by its token, and no other lock', async () => {
  const { fake } = await start();
  const log = new EventRecorder(fake);
  const closed = await fake.lock('payout', { failure: 'closed', owner: 'a' });
  const open = await fake.lock('report');
  expect((await fake.inspect('payout')).holder).toMatchObject({ failure: 'closed' });
  expect((await fake.inspect('report')).holder).not.toHaveProperty('failure');

  expect(await fake.forceRelease('report', { token: open.fencingToken })).toBe(false);
  expect(await fake.forceRelease('payout', { token: open.fencingToken })).toBe(false);
  expect(await fake.forceRelease('payout', { token: closed.fencingToken })).toBe(true);
  expect(await fake.forceRelease('payout', { token: closed.fencingToken })).toBe(false);

  expect(log.ofType('lost')).toMatchObject([{ resource: 'payout', reason: 'deleted' }]);
  expect(closed.isHeld()).toBe(false);
  expect(await closed.release()).toBe(false);
  expect(fake.held).toMatchObject([{ resource: 'report' }]);
  expect(await open.release()).toBe(true);
});

test('options and names are validated as in the real service', async () => {
  const { fake } = await start();
  await expect(fake.lock('')).rejects.toThrow('a non-empty string');
  await expect(fake.lock('x', -1)).rejects.toThrow('`ttl` must be a whole number');
  const held = await fake.lock('x');
  expect(await held.release()).toBe(true);
  expect(await fake.unlock(held)).toBe(true);
});

test('a candidate waits while the lock is busy, and leads when it no longer is', async () => {
  const locks = endedWithTest(new FakeLockService());
  const states: boolean[] = [];
  locks.lead('mail').subscribe(({ leader }) => states.push(leader));
  await eventually(() => states.at(-1) === true);
  const refused = firstValueFrom(locks.events$.pipe(filter(({ type }) => type === 'busy')));
  locks.setBusy('mail');
  locks.lose('mail');
  await refused;
  expect(states.at(-1)).toBe(false);
  locks.setBusy('mail', false);
  await eventually(() => states.at(-1) === true);
});

test('a mock that grants no real lock is rejected with an error that names the alternatives', async () => {
  @Injectable()
  class Reports {
    ran = false;

    @Locked('report')
    async write() {
      this.ran = true;
    }
  }
  const mock = { lock: async () => ({ fencingToken: 1n }) };
  const module = await Test.createTestingModule({
    providers: [Reports, { provide: LockService, useValue: mock }],
  }).compile();
  const reports = module.get(Reports);
  const writing = reports.write();
  await expect(writing).rejects.toBeInstanceOf(LockConfigurationError);
  await expect(writing).rejects.toThrow(
    'Reports.write cannot run under the return value of lock() of its LockService: got an object Object. ' +
      'To replace LockService in a test, use FakeLockService from nestjs-locked/testing',
  );
  expect(reports.ran).toBe(false);
});

test('a lock of another copy of the package is released again, and the error says whose it is', async () => {
  @Injectable()
  class Reports {
    @Locked('report', { service: 'audit' })
    async write() {}
  }
  const release = vi.fn(async () => true);
  const ofOtherCopy = { lock: async () => ({ isHeld: () => true, release }) };
  const module = await Test.createTestingModule({
    providers: [Reports, { provide: getLockServiceToken('audit'), useValue: ofOtherCopy }],
  }).compile();
  await expect(module.get(Reports).write()).rejects.toThrow('is of another copy of this package');
  expect(release).toHaveBeenCalledOnce();
});

test('nested calls are refused as by the real service', async () => {
  const locks = new FakeLockService();
  const nested = locks.withLock('x', { mode: 'read' }, () =>
    locks.withLock('x', { mode: 'write' }, () => {}),
  );
  await expect(nested).rejects.toThrow(LockDeadlockError);
});

test('the options of the module that the code relies on can be given', async () => {
  const locks = new FakeLockService({ owner: 'payer-1', defaults: { reentrant: true } });
  expect(locks.owner).toBe('payer-1');
  const tokens = await locks.withLock('x', (outer) =>
    locks.withLock('x', (inner) => [outer.fencingToken, inner.fencingToken]),
  );
  expect(tokens[0]).toBe(tokens[1]);
  expect(() => new FakeLockService({ defaults: { wait: -1 } })).toThrow(LockConfigurationError);
});

test('a lock that fails closed needs an owner, as in production', async () => {
  const lock = (locks: FakeLockService) => locks.lock('payout', { failure: 'closed' });
  await expect(lock(new FakeLockService())).rejects.toThrow(LockConfigurationError);
  await (await lock(new FakeLockService({ owner: 'payer-1' }))).release();
});

test('while it is unavailable, all calls fail', async () => {
  const locks = new FakeLockService();
  locks.setUnavailable();
  const calls = [
    locks.inspect('x'),
    locks.setPermits('x', 2),
    locks.forceRelease('x', { token: 1n }),
    locks.requestRelease('x'),
  ];
  for (const call of await Promise.allSettled(calls))
    expect(call).toMatchObject({ status: 'rejected', reason: expect.any(LockUnavailableError) });
});

test('a busy lock has a holder, who can be asked to release it', async () => {
  const locks = new FakeLockService();
  locks.setBusy('index');
  const holder = { owner: undefined, fencingToken: undefined, mode: 'exclusive' };
  expect(await locks.inspect('index')).toMatchObject({ holder, holders: [holder] });
  expect(await locks.requestRelease('index')).toBe(true);
  locks.setBusy('index', false);
  expect((await locks.inspect('index')).holder).toBeNull();
  expect(await locks.requestRelease('index')).toBe(false);
});

test('a call with an aborted signal rejects with its reason, and changes nothing', async () => {
  const locks = new FakeLockService({ owner: 'payer-1' });
  const held = await locks.lock('payout', { failure: 'closed' });
  const reason = new Error('the request was cancelled');
  const signal = AbortSignal.abort(reason);
  const calls = [
    locks.inspect('payout', signal),
    locks.setPermits('payout', 2, signal),
    locks.forceRelease('payout', { token: held.fencingToken }, signal),
    locks.requestRelease('payout', signal),
  ];
  for (const call of await Promise.allSettled(calls)) expect(call).toEqual({ status: 'rejected', reason });
  expect(held.isHeld()).toBe(true);
});

test('a lock that fails closed is not lost with its session', async () => {
  const locks = new FakeLockService({ owner: 'payer-1' });
  const held = await locks.lock('payout', { failure: 'closed' });
  expect(() => locks.lose('payout')).toThrow("lose('payout') would lose a lock with failure: 'closed'");
  expect(held.isHeld()).toBe(true);
  locks.lose('payout', 'deleted');
  expect(held.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
});

test('options of the module that say where the servers are do not matter', () => {
  class Terms {
    readonly host = 'zk1';
    readonly port = 2181;

    get owner() {
      return 'payer-1';
    }
  }
  expect(new FakeLockService(new Terms()).owner).toBe('payer-1');
  const options: LockModuleOptions = { connectString: '', defaults: { wait: 5 } };
  expect(new FakeLockService(options).owner).not.toBe('');
});

test('closes at once although a lock is held and the timers are faked', async () => {
  const locks = new FakeLockService();
  const held = await locks.lock('sweep', { minHold: 30_000 });
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await locks.close();
  expect(held.isHeld()).toBe(false);
});

test('a list of names of which one is busy has acquired none of them', async () => {
  const fake = new FakeLockService();
  fake.setBusy('a');
  await expect(fake.lock(['a', 'b'], { wait: 0 })).rejects.toThrow(LockBusyError);
  expect(fake.granted).toEqual([]);
  await fake.close();
});

test('a nested call of a lock that the code has already acquires nothing', async () => {
  const fake = new FakeLockService();
  await fake.withLock('a', () => fake.withLock('a', { reentrant: true }, () => {}));
  expect(fake.granted).toEqual(['a']);
  await fake.close();
});

test('locks with and without a queue exclude each other by an error, as on real servers', async () => {
  const fake = new FakeLockService();
  const simple = await fake.lock('a', { fair: false });
  await expect(fake.lock('a')).rejects.toThrow(LockFairnessError);
  await expect(fake.requestRelease('a')).rejects.toThrow(LockConfigurationError);
  await simple.release();
  await using _fair = await fake.lock('a');
  await expect(fake.tryLock('a', { fair: false })).rejects.toThrow(LockFairnessError);
  await fake.close();
});

import { Controller, Get, Injectable, Module, UseInterceptors } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import {
  LockBusyError,
  LockConfigurationError,
  LockInterceptor,
  LockLostError,
  LockTimeoutError,
  LockModule,
  LockService,
  Locked,
  createLockService,
  getLockServiceToken,
} from '../../lib/index.js';
import {
  EmbeddedZooKeeper,
  LockAssertionError,
  LockTesting,
  LockTestingModule,
} from '../../lib/testing/index.js';
import { eventually } from '../support/eventually.js';
import { RawSession } from '../support/raw-session.js';
import { Latch } from '../fixtures/latch.js';
import { TestApp } from '../fixtures/test-app.js';

@Injectable()
class Payments {
  readonly working = new Latch();

  @Locked('order:{0}', { ttl: 60_000, wait: 0 })
  async pay(order: string, until?: Promise<void>): Promise<string> {
    this.working.open();
    await until;
    return `paid ${order}`;
  }

  async unlocked(): Promise<void> {}
}

abstract class Ledger {
  @Locked('ledger:{0}')
  async book(account: string): Promise<string> {
    return account;
  }

  @Locked('closing', { purpose: 'year end' })
  async close(): Promise<void> {}
}

@Injectable()
class CashLedger extends Ledger {}

@Injectable()
class AuditedLedger extends Ledger {
  override async book(account: string): Promise<string> {
    return `audited ${await super.book(account)}`;
  }

  override async close(): Promise<void> {
    await super.close();
  }
}

@Injectable()
class ForeignLedger extends Ledger {
  @Locked('foreign:{0}')
  override async book(account: string): Promise<string> {
    return account;
  }
}

class OrdersInterceptor extends LockInterceptor(() => 'import:orders', { purpose: 'orders of tenants' }) {}

@Controller()
class Imports {
  @Get('users')
  @UseInterceptors(LockInterceptor(() => 'import:users', { purpose: 'users of tenants' }))
  users() {}

  @Get('orders')
  @UseInterceptors(OrdersInterceptor)
  orders() {}
}

@Controller('export')
@UseInterceptors(LockInterceptor(() => 'export', { purpose: 'exports' }))
class Exports {
  @Get()
  run() {}
}

@Module({
  imports: [
    // The test server replaces the servers of these options; all other options apply.
    LockModule.forRoot({
      connectString: 'zookeeper.invalid:1/shop',
      owner: 'app',
      sessionTimeout: 20_000,
      tls: {},
    }),
  ],
  providers: [Payments, CashLedger, AuditedLedger, ForeignLedger],
})
class AppModule {}

const OPTIONS = { connectString: 'zookeeper.invalid:1' };

let module: TestingModule | undefined;

afterEach(async () => {
  await module?.close();
  module = undefined;
});

async function start(time: 'real' | 'manual' = 'real') {
  module = await Test.createTestingModule({
    imports: [AppModule, LockTestingModule.forRoot({ time })],
  }).compile();
  return { testing: module.get(LockTesting), payments: module.get(Payments), locks: module.get(LockService) };
}

it('shows the lock that a method ran under', async () => {
  const { testing, payments } = await start();
  expect(await payments.pay('42')).toBe('paid 42');

  testing.assertLocked(Payments, 'pay');
  testing.assertLocked(Payments, 'pay', 'order:42');
  testing.assertNothingHeld();
  expect(testing.holdsOf(Payments, 'pay')).toMatchObject([
    { resource: 'order:42', owner: 'app', purpose: 'Payments.pay', end: 'released' },
  ]);
});

it('shows the waiters of all services with that name', async () => {
  module = await Test.createTestingModule({
    imports: [
      LockModule.forRoot({ ...OPTIONS, root: '/a' }),
      LockModule.forRoot({ ...OPTIONS, root: '/b', name: 'archive' }),
      LockTestingModule.forRoot(),
    ],
  }).compile();
  const testing = module.get(LockTesting);
  const [first, second] = [module.get(LockService), module.get<LockService>(getLockServiceToken('archive'))];
  const held = [await first.lock('order:42'), await second.lock('order:42')];
  const waiting = second.lock('order:42');
  await eventually(() => testing.waiters('order:42').length === 1);
  await Promise.all(held.map((lock) => lock.release()));
  await (await waiting).release();
});

it('finds the locks of an inherited method, by the class that inherits it and by the abstract one', async () => {
  const { testing } = await start();
  expect(() => testing.assertLocked(CashLedger, 'book')).toThrow('CashLedger.book has not run under a lock');
  await module!.get(CashLedger).book('7');

  testing.assertLocked(CashLedger, 'book', 'ledger:7');
  testing.assertLocked(Ledger, 'book', 'ledger:7');
  expect(testing.holdsOf(CashLedger, 'book')).toMatchObject([{ purpose: 'Ledger.book', end: 'released' }]);
  expect(testing.holdsOf(CashLedger, 'close')).toEqual([]);
});

it('finds the locks of a method that has a purpose of its own', async () => {
  const { testing } = await start();
  await module!.get(CashLedger).close();
  testing.assertLocked(CashLedger, 'close', 'closing');
  expect(testing.holdsOf(Ledger, 'close')).toMatchObject([{ purpose: 'year end' }]);
});

it('finds the locks of an override that calls the locked method of its base class', async () => {
  const { testing } = await start();
  await module!.get(AuditedLedger).book('7');
  testing.assertLocked(AuditedLedger, 'book', 'ledger:7');
  expect(() => testing.assertLocked(AuditedLedger, 'close')).toThrow('AuditedLedger.close has not run under');
  await module!.get(AuditedLedger).close();
  testing.assertLocked(AuditedLedger, 'close', 'closing');
});

it('tells a locked override from the locked method that it does not call', async () => {
  const { testing } = await start();
  await module!.get(CashLedger).book('7');
  expect(testing.holdsOf(ForeignLedger, 'book')).toEqual([]);
});

it('finds the locks of LockInterceptors that have a purpose of their own', async () => {
  const app = await TestApp.start({
    imports: [LockModule.forRoot({}), LockTestingModule.forRoot()],
    controllers: [Imports, Exports],
  });
  const testing = app.get(LockTesting);
  expect(() => testing.assertLocked(Imports, 'users')).toThrow('Imports.users has not run under a lock');
  for (const path of ['users', 'orders', 'export']) await app.fetch(`/${path}`);
  testing.assertLocked(Imports, 'users', 'import:users');
  testing.assertLocked(Imports, 'orders', 'import:orders');
  testing.assertLocked(Exports, 'run', 'export');
  expect(testing.holdsOf(Imports, 'users')).toMatchObject([{ purpose: 'users of tenants' }]);
});

it('is refused without forRoot, before a lock service connects to the servers of the application', async () => {
  await using production = await EmbeddedZooKeeper.start();
  const { connectString } = production;
  const compiling = Test.createTestingModule({
    imports: [LockModule.forRoot({ connectString }), LockTestingModule],
  }).compile();
  await expect(compiling).rejects.toThrow(LockConfigurationError);
  await expect(compiling).rejects.toThrow('Import `LockTestingModule.forRoot()`');
  expect(production.sessions).toEqual([]);
});

it('is refused if it is imported twice, before any server has started', async () => {
  @Module({ imports: [LockTestingModule.forRoot()] })
  class FeatureModule {}
  const start = vi.spyOn(EmbeddedZooKeeper, 'start');
  onTestFinished(() => start.mockRestore());

  const compiling = Test.createTestingModule({
    imports: [AppModule, FeatureModule, LockTestingModule.forRoot({ time: 'manual' })],
  }).compile();

  await expect(compiling).rejects.toThrow(LockConfigurationError);
  await expect(compiling).rejects.toThrow('LockTestingModule.forRoot() is imported 2 times');
  expect(start).not.toHaveBeenCalled();
});

it('may be the same import in several modules', async () => {
  const LOCK_TESTING = LockTestingModule.forRoot();
  @Module({ imports: [LOCK_TESTING] })
  class FeatureModule {}
  module = await Test.createTestingModule({ imports: [FeatureModule, AppModule, LOCK_TESTING] }).compile();
  await module.get(Payments).pay('42');
  module.get(LockTesting).assertLocked(Payments, 'pay', 'order:42');
});

it('records how each of several re-entrant holds has ended', async () => {
  const { testing, locks } = await start();
  const ends = () => testing.holds.map(({ purpose, end }) => [purpose, end]);
  const enter = (purpose: string, work: () => Promise<void>) =>
    locks.withLock('order:42', { purpose, reentrant: true }, work);

  await enter('outer', async () => {
    await enter('inner', async () => {});
    await enter('inner', async () => {
      await enter('inner', async () => {});
      expect(ends()).toEqual([
        ['outer', undefined],
        ['inner', 'released'],
        ['inner', undefined],
        ['inner', 'released'],
      ]);
    });
  });

  expect(new Set(testing.holds.map(({ fencingToken }) => fencingToken)).size).toBe(1);
  expect(testing.holds.map(({ end }) => end)).toEqual(['released', 'released', 'released', 'released']);
});

it('lists the actual locks when an assertion fails', async () => {
  const { testing, payments } = await start();
  await payments.pay('42');
  await payments.unlocked();

  expect(() => testing.assertLocked(Payments, 'pay', 'order:43')).toThrow(
    new LockAssertionError("Payments.pay has not run under the lock 'order:43'", testing.holds),
  );
  expect(() => testing.assertLocked(Payments, 'unlocked')).toThrow(
    "Payments.unlocked has not run under a lock. Locks held so far:\n  'order:42' for Payments.pay, released",
  );
});

it('shows locks of other clients whose names this library would have escaped', async () => {
  const { testing, locks } = await start();
  await locks.lock('order');
  await using other = await RawSession.connect(testing.zookeeper, { keepAlive: true });
  await other.create2('/shop/locks/50%', 'ephemeral');
  expect(testing.holders.map(({ resource }) => resource).toSorted()).toEqual(['50%', 'order']);
});

it('shows the holder and the waiters of a lock, including other services', async () => {
  const { testing, locks } = await start();
  const held = await locks.lock('a/b:%', { purpose: 'test' });
  const other = await createLockService({
    connectString: testing.zookeeper.connectString,
    root: '/shop/locks',
    owner: 'other',
  });
  const waiting = other.lock('a/b:%');
  await eventually(() => testing.waiters('a/b:%').length === 1);

  expect(testing.holders).toMatchObject([{ resource: 'a/b:%', owner: { owner: 'app', purpose: 'test' } }]);
  expect(testing.holders[0]!.fencingToken).toBe(held.fencingToken);
  expect(testing.waiters('a/b:%')).toMatchObject([{ owner: { owner: 'other' } }]);
  expect(() => testing.assertNothingHeld()).toThrow("These locks are held: 'a/b:%'");

  await held.release();
  await (await waiting).release();
  await other.close();
  testing.assertNothingHeld();
});

it('shows each caller of the application, although callers of one service share a node', async () => {
  const { testing, locks } = await start();
  const held = await locks.lock('order:42', { purpose: 'first' });
  const second = locks.lock('order:42', { purpose: 'second' });
  const third = locks.lock('order:42', { purpose: 'third' });
  await eventually(() => testing.waiters('order:42').length === 2);
  expect(testing.zookeeper.ephemerals()).toHaveLength(1);

  await held.release();
  const next = await second;

  expect(testing.holders).toMatchObject([
    { owner: { purpose: 'second' }, resource: 'order:42', fencingToken: next.fencingToken },
  ]);
  expect(testing.waiters('order:42')).toMatchObject([
    { owner: { purpose: 'third' }, fencingToken: undefined },
  ]);
  await next.release();
  await (await third).release();
});

it('shows the holder of a lock without a queue, and that nothing is held after it', async () => {
  const { testing, locks } = await start();
  const held = await locks.lock('read__READ__7', { fair: false });
  const { fencingToken } = held;
  expect(testing.holders).toMatchObject([
    { resource: 'read__READ__7', owner: { owner: 'app' }, fencingToken, mode: 'exclusive' },
  ]);
  await held.release();
  testing.assertNothingHeld();
});

it('shows a lock that fails closed as inspect() does, also after the end of its session', async () => {
  const { testing, locks } = await start();
  const other = await createLockService({
    connectString: testing.zookeeper.connectString,
    root: '/shop/locks',
    owner: 'other',
  });
  const held = await locks.lock('payout', { failure: 'closed', owner: 'a', purpose: 'holder' });
  const waiting = other.lock('payout', { failure: 'closed', purpose: 'waiter' });
  await eventually(() => testing.waiters('payout').length === 1);
  const { holders, waiters } = await locks.inspect('payout');
  expect(testing.holders).toEqual(holders.map((holder) => ({ resource: 'payout', ...holder })));
  expect(testing.waiters('payout')).toEqual(waiters.map((waiter) => ({ resource: 'payout', ...waiter })));
  expect(testing.holders).toMatchObject([
    { owner: { owner: 'a', purpose: 'holder' }, fencingToken: held.fencingToken, failure: 'closed' },
  ]);
  expect(testing.waiters('payout')).toMatchObject([{ owner: { owner: 'other' }, failure: 'closed' }]);

  await testing.expireSession();
  expect(testing.holders).toMatchObject([{ owner: { owner: 'a' }, failure: 'closed' }]);
  expect(() => testing.assertNothingHeld()).toThrow("These locks are held: 'payout'");

  await held.release();
  await (await waiting).release();
  await other.close();
  testing.assertNothingHeld();
});

it('counts a lock that lingers as held, until its time has passed', async () => {
  module = await Test.createTestingModule({
    imports: [LockModule.forRoot({ linger: 1_000 }), LockTestingModule.forRoot({ time: 'manual' })],
  }).compile();
  const testing = module.get(LockTesting);
  await (await module.get(LockService).lock('order:42')).release();
  expect(() => testing.assertNothingHeld()).toThrow("These locks are held: 'order:42'");
  await testing.advance(1_000);
  testing.assertNothingHeld();
});

it('makes a lock busy for a method', async () => {
  const { payments, locks } = await start();
  await using held = await locks.lock('order:42');
  await expect(payments.pay('42')).rejects.toThrow(LockBusyError);
  expect(held.isHeld()).toBe(true);
});

it('advances manual time by three minutes, past the ttl of a lock', async () => {
  const { testing, payments, locks } = await start('manual');
  const forever = await locks.lock('forever');
  const never = new Promise<void>(() => {});
  const paid = payments.pay('42', never);
  const lost = expect(paid).rejects.toThrow(LockLostError);
  await payments.working.opened;

  await testing.advance(59_000);
  expect(testing.holders).toHaveLength(2);
  await testing.advance(1_000);
  await lost;
  expect(testing.holdsOf(Payments, 'pay')).toMatchObject([{ end: 'ttlExpired' }]);
  await testing.advance(120_000);

  expect(forever.isHeld()).toBe(true);
  expect(locks.state).toBe('connected');
});

it.each(['real', 'manual'] as const)('makes a method lose its lock, in %s time', async (time) => {
  const { testing, payments } = await start(time);
  const paid = payments.pay('42', new Promise<void>(() => {}));
  const lost = expect(paid).rejects.toMatchObject({ name: 'LockLostError', reason: 'session' });
  await payments.working.opened;

  await testing.expireSession();

  await lost;
  expect(testing.holdsOf(Payments, 'pay')).toMatchObject([{ end: 'lost' }]);
  testing.assertNothingHeld();
});

it.each(['real', 'manual'] as const)('expires one session after the other, in %s time', async (time) => {
  const { testing, locks } = await start(time);
  const ids = new Set<bigint>();
  for (let expiries = 0; expiries < 3; expiries += 1) {
    const held = await locks.lock('order:42');
    ids.add(testing.zookeeper.ephemerals()[0]!.session);
    await testing.expireSession();
    expect(held.isHeld()).toBe(false);
  }
  // While the next one is being opened.
  await testing.expireSession();
  await testing.expireSession();

  expect(ids.size).toBe(3);
  await (await locks.lock('order:42')).release();
});

it('cuts off the session that follows an expired one', async () => {
  const { testing, locks } = await start('manual');
  await testing.expireSession();
  const held = await locks.lock('order:42');
  testing.partition();
  await testing.advance(19_900);
  expect(held.isHeld()).toBe(false);

  // Expired on the server, which the service cannot know.
  await testing.advance(10_000);
  expect(() => testing.partition()).toThrow('has no session at the moment');
  await expect(testing.expireSession()).rejects.toThrow('has no session at the moment');
});

it('refuses faults for a service that has no session, or is not of this application', async () => {
  const { testing, locks } = await start();
  await testing.expireSession();
  expect(() => testing.partition()).toThrow('has no session at the moment');
  await using other = await createLockService({ connectString: testing.zookeeper.connectString });
  await expect(testing.expireSession(other)).rejects.toThrow('no such lock service');
  expect(() => testing.partition(other)).toThrow('no such lock service');
  await locks.close();
  await expect(testing.expireSession()).rejects.toThrow(TypeError);
  expect(() => testing.partition()).toThrow(TypeError);
});

it('stops waiting for an expiry when the application shuts down', async () => {
  const { testing } = await start('manual');
  const expired = expect(testing.expireSession()).rejects.toThrow('no elements in sequence');
  await module!.close();
  module = undefined;
  await expired;
});

it('disconnects the application until its lock is lost, and reconnects it', async () => {
  const { testing, locks } = await start('manual');
  const held = await locks.lock('order:42');

  const partition = testing.partition();
  await testing.advance(19_900);
  expect(held.isHeld()).toBe(false);
  expect(locks.state).toBe('suspended');

  partition.heal();
  await testing.advance(10_000);
  expect(locks.state).toBe('connected');
  await (await locks.lock('order:42')).release();
});

it.each(['real', 'manual'] as const)('works in %s time with fake timers', async (time) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { testing, payments } = await start(time);
  const paid = payments.pay('42', new Promise((resolve) => setTimeout(resolve, 10_000)));
  await payments.working.opened;

  if (time === 'manual') await testing.advance(10_000);
  expect(testing.holders).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10_000);

  expect(await paid).toBe('paid 42');
  testing.assertNothingHeld();
});

it('in real time, neither fake timers nor a faked date move the time of locks', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { locks } = await start('real');
  const held = await locks.lock('a', { ttl: 30_000 });
  vi.setSystemTime(Date.now() + 86_400_000);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(held.isHeld()).toBe(true);
  expect(await locks.withLock('b', { wait: 1_000 }, () => 'done')).toBe('done');
  await expect(locks.lock('a', { wait: 20 })).rejects.toThrow(LockTimeoutError);
  await held.release();
});

// Nest calls the hooks of one module after those of another one.
it.each([
  ['after the application', () => [AppModule, LockTestingModule.forRoot({ time: 'manual' })]],
  ['before the application', () => [LockTestingModule.forRoot({ time: 'manual' }), AppModule]],
  [
    'with a lock module that is not global',
    () => [
      LockModule.forRoot({ ...OPTIONS, isGlobal: false }),
      LockTestingModule.forRoot({ time: 'manual' }),
    ],
  ],
] as const)('closes in manual time while a lock is still held, imported %s', async (_where, imports) => {
  module = await Test.createTestingModule({ imports: [...imports()] }).compile();
  await module.get(LockService).lock('kept');
  const { port } = module.get(LockTesting).zookeeper;
  await module.close();
  module = undefined;
  await expect(createLockService({ port, connectTimeout: 300 })).rejects.toMatchObject({
    name: 'LockUnavailableError',
  });
});

it('acts on the service without a name, if it is not told another one', async () => {
  const connectString = 'zk1:2181';
  const module = await Test.createTestingModule({
    imports: [
      LockModule.forRoot({ connectString, name: 'audit' }),
      LockModule.forRoot({ connectString }),
      LockTestingModule.forRoot(),
    ],
  }).compile();
  onTestFinished(() => module.close());
  const [audit, main] = [module.get<LockService>(getLockServiceToken('audit')), module.get(LockService)];
  const testing = module.get(LockTesting);
  const kept = await audit.lock('order:42');
  const lost = await main.lock('order:43');
  await testing.expireSession();
  expect([kept.isHeld(), lost.isHeld()]).toEqual([true, false]);
  await testing.expireSession(audit);
  expect(kept.isHeld()).toBe(false);
});

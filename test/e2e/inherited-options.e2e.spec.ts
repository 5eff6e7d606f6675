import { once } from 'node:events';
import type { ExecutionContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { defer, filter, firstValueFrom, lastValueFrom, switchMap } from 'rxjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  LockBusyError,
  LockInterceptor,
  LockModule,
  LockService,
  Locked,
  getLockServiceToken,
  type HeldLock,
  type LockMode,
  type LockedOptions,
} from '../../lib/index.js';
import { LockTesting, LockTestingModule } from '../../lib/testing/index.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** Options that are getters of a class of a configuration. */
class Terms {
  get ttl(): number {
    return 200;
  }

  get wait(): number {
    return 0;
  }

  get purpose(): string {
    return 'inventory';
  }
}

class SemaphoreTerms extends Terms {
  get permits(): number {
    return 1;
  }
}

type Work = (held: HeldLock) => Promise<void>;

class Stock {
  work: Work = async () => {};

  @Locked('stock', new Terms())
  async count(): Promise<void> {
    await this.work(LockService.currentOrThrow());
  }

  @Locked('stock', new SemaphoreTerms())
  async countTogether(): Promise<void> {
    await this.work(LockService.currentOrThrow());
  }
}

async function intercepted(locks: LockService, options: LockedOptions, work: Work): Promise<void> {
  const context = { getClass: () => Stock, getHandler: () => withDecorator } as unknown as ExecutionContext;
  const interceptor = new (LockInterceptor(() => 'stock', options))(locks);
  const handle = () => defer(() => work(LockService.currentOrThrow()));
  await lastValueFrom(await interceptor.intercept(context, { handle }));
}

async function withDecorator(
  _: LockService,
  options: LockedOptions,
  work: Work,
  stock: Stock,
): Promise<void> {
  stock.work = work;
  await (options instanceof SemaphoreTerms ? stock.countTogether() : stock.count());
}

async function isEndedByTtl(held: HeldLock, mode: LockMode): Promise<void> {
  expect(held).toMatchObject({ mode, purpose: 'inventory' });
  if (!held.signal.aborted) await once(held.signal, 'abort');
  expect(held.signal.reason).toMatchObject({ reason: 'ttl' });
}

describe.for([
  ['exclusive', new Terms()],
  ['semaphore', new SemaphoreTerms()],
] as const)('the getters of a class are the options, mode %s', ([mode, terms]) => {
  test.for([
    [
      'lock',
      async (locks: LockService, options: LockedOptions, work: Work) =>
        work(await locks.lock('stock', options)),
    ],
    [
      'withLock',
      (locks: LockService, options: LockedOptions, work: Work) => locks.withLock('stock', options, work),
    ],
    ['@Locked', withDecorator],
    ['LockInterceptor', intercepted],
  ] as const)('of %s', async ([, run]) => {
    const module = await startModule(zooKeeper.options(), { providers: [Stock] });
    const locks = module.get(LockService);
    const stock = module.get(Stock);
    const holder = await locks.lock('stock', mode === 'semaphore' ? { permits: 1 } : {});
    await expect(run(locks, terms, async () => {}, stock)).rejects.toThrow(LockBusyError);
    await holder.release();

    let work: Promise<void> | undefined;
    const running = run(locks, terms, (held) => (work = isEndedByTtl(held, mode)), stock);
    // Those that run the work themselves reject with the loss.
    await running.catch((error: unknown) => expect(error).toMatchObject({ reason: 'ttl' }));
    expect(work).toBeDefined();
    await work;
  });
});

test('of lead', async () => {
  const module = await startModule(zooKeeper.options(), {});
  const locks = module.get(LockService);
  const who = new (class {
    get owner(): string {
      return 'web-1';
    }

    get purpose(): string {
      return 'mail';
    }
  })();
  const snapshot$ = locks.lead('mail-queue', who).pipe(
    filter(({ leader }) => leader),
    switchMap(() => locks.inspect('mail-queue')),
  );
  const { holder } = await firstValueFrom(snapshot$);
  expect(holder?.owner).toMatchObject({ owner: 'web-1', purpose: 'mail' });
});

test('of forRootAsync, and of LockTestingModule', async () => {
  const named = new (class {
    get name(): string {
      return 'audit';
    }

    get useFactory() {
      return () => ({ connectString: 'zk1:2181' });
    }
  })();
  const manual = new (class {
    get time() {
      return 'manual' as const;
    }
  })();
  const module = await Test.createTestingModule({
    imports: [LockModule.forRootAsync(named), LockTestingModule.forRoot(manual)],
  }).compile();
  onTestFinished(() => module.close());
  await module.get(LockTesting).advance(0);
  expect(module.get(getLockServiceToken('audit'))).toBeInstanceOf(LockService);
  await expect(
    Test.createTestingModule({ imports: [LockTestingModule.forRoot(null!)] }).compile(),
  ).rejects.toThrow('LockTestingModule.forRoot takes an object of options: got null');
});

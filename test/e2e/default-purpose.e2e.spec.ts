import { Injectable, type ExecutionContext } from '@nestjs/common';
import { defer, lastValueFrom } from 'rxjs';
import { expect, test } from 'vitest';
import { LockInterceptor, LockService, Locked } from '../../lib/index.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** As from a configuration that does not set it. */
const UNSET = { purpose: undefined };

const purpose = async (): Promise<string | undefined> => LockService.currentOrThrow().purpose;

@Injectable()
class Stock {
  @Locked('stock', UNSET)
  async count() {
    return purpose();
  }

  @Locked('stock', { purpose: 'inventory' })
  async countForTaxes() {
    return purpose();
  }
}

test('a purpose that is not set is the name of the method, with @Locked', async () => {
  const module = await startModule(zooKeeper.options(), { providers: [Stock] });
  expect(await module.get(Stock).count()).toBe('Stock.count');
  expect(await module.get(Stock).countForTaxes()).toBe('inventory');
});

test('a purpose that is not set is the name of the handler, with LockInterceptor', async () => {
  const module = await startModule(zooKeeper.options(), {});
  class Imports {
    start(): void {}
  }
  const context = {
    getClass: () => Imports,
    getHandler: () => Reflect.get(Imports.prototype, 'start') as object,
  } as unknown as ExecutionContext;
  const interceptor = new (LockInterceptor(() => 'import', UNSET))(module.get(LockService));
  const answer$ = await interceptor.intercept(context, { handle: () => defer(purpose) });
  expect(await lastValueFrom(answer$)).toBe('Imports.start');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Test } from '@nestjs/testing';
import { LockBusyError, LockService } from 'nestjs-locked';
import { FakeLockService, LockTesting, LockTestingModule } from 'nestjs-locked/testing';
import { AppModule } from './app.module';
import { OrdersController } from './orders.controller';

test('pays under the lock of the order, with a fake', async () => {
  const locks = new FakeLockService();
  const module = await Test.createTestingModule({ imports: [AppModule] })
    .overrideProvider(LockService)
    .useValue(locks)
    .compile();
  const orders = module.get(OrdersController);

  assert.deepEqual(await orders.pay('7'), { order: '7', token: String(2n ** 53n) });
  assert.deepEqual(locks.granted, ['order:7', 'ledger']);

  locks.setBusy('order:7');
  await assert.rejects(orders.pay('7'), LockBusyError);
  await module.close();
});

test('runs payments of an order one after the other, on an embedded ZooKeeper', async () => {
  const module = await Test.createTestingModule({
    imports: [AppModule, LockTestingModule.forRoot()],
  }).compile();
  const orders = module.get(OrdersController);

  await Promise.all([orders.pay('7'), orders.pay('7'), orders.pay('8')]);

  const testing = module.get(LockTesting);
  testing.assertLocked(OrdersController, 'pay', 'order:7');
  testing.assertNothingHeld();
  await module.close();
});

import { Test, TestingModule } from '@nestjs/testing';
import { LockBusyError, LockService } from 'nestjs-locked';
import { FakeLockService, LockTesting, LockTestingModule } from 'nestjs-locked/testing';
import { AppModule } from './app.module.js';
import { OrdersController } from './orders.controller.js';

describe('OrdersController', () => {
  let module: TestingModule;

  afterEach(() => module.close());

  it('pays under the lock of the order, with a fake', async () => {
    const locks = new FakeLockService();
    module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(LockService)
      .useValue(locks)
      .compile();
    const orders = module.get(OrdersController);

    expect(await orders.pay('7')).toEqual({ order: '7', token: String(2n ** 53n) });
    expect(locks.granted).toEqual(['order:7', 'ledger']);

    locks.setBusy('order:7');
    await expect(orders.pay('7')).rejects.toThrow(LockBusyError);
  });

  it('runs payments of an order one after the other, on an embedded ZooKeeper', async () => {
    module = await Test.createTestingModule({ imports: [AppModule, LockTestingModule.forRoot()] }).compile();
    const orders = module.get(OrdersController);

    const payments = await Promise.all([orders.pay('7'), orders.pay('7'), orders.pay('8')]);

    expect(payments.map(({ order }) => order)).toEqual(['7', '7', '8']);
    const testing = module.get(LockTesting);
    testing.assertLocked(OrdersController, 'pay', 'order:7');
    testing.assertNothingHeld();
  });
});

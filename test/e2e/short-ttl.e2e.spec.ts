import { Controller, Get, Injectable, UseInterceptors } from '@nestjs/common';
import { expect, test } from 'vitest';
import {
  LockInterceptor,
  LockLostError,
  LockModule,
  LockService,
  Locked,
  type LockModuleOptions,
} from '../../lib/index.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { startModule } from '../fixtures/start-module.js';
import { TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Orders {
  @Locked('order:{0}', 99)
  async pay(_id: string) {}

  @Locked('order:{0}', { ttl: 30, purpose: 'invoices' })
  async invoice(_id: string) {}

  @Locked('order:{0}', 100)
  async ship(_id: string) {}

  @Locked('order:{0}')
  async look(_id: string) {}
}

/** Ignores the loss of the lock: on a busy machine such a short ttl may expire. */
async function unlessLost(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof LockLostError)) throw error;
  });
}

async function start(options: LockModuleOptions = {}) {
  const logger = new RecordingLogger();
  const module = await startModule(zooKeeper.options(options), { providers: [Orders] }, logger);
  const ttlWarnings = () =>
    logger.lines.filter(({ message }) => String(message).includes('looks like seconds'));
  return { orders: module.get(Orders), locks: module.get(LockService), ttlWarnings };
}

test('a ttl that looks like seconds is logged once for each locked method', async () => {
  const { orders, ttlWarnings } = await start();
  for (const id of ['1', '2', '3']) {
    await unlessLost(orders.pay(id));
    await unlessLost(orders.invoice(id));
    await unlessLost(orders.ship(id));
    await unlessLost(orders.look(id));
  }
  expect(ttlWarnings()).toEqual([
    {
      level: 'warn',
      message:
        'The ttl of Orders.pay is 99 ms, which looks like seconds: durations are in milliseconds. For 99 s, write ' +
        '`ttl: 99_000`',
      context: 'LockService',
    },
    expect.objectContaining({
      message: expect.stringMatching(/^The ttl of invoices is 30 ms, which .+`ttl: 30_000`$/),
    }),
  ]);
});

test('a short ttl is logged once for each name given to withLock, for a limited number of names', async () => {
  const { locks, ttlWarnings } = await start();
  for (let round = 0; round < 2; round += 1) {
    await unlessLost(locks.withLock('a\nb', 5, () => {}));
    await unlessLost(locks.withLock('b', { ttl: 60 }, () => {}));
    await unlessLost(locks.withLock('c', 0, () => {}));
  }
  expect(ttlWarnings().map(({ message }) => String(message).split(',')[0])).toEqual([
    "The ttl of lock 'a\\u{a}b' is 5 ms",
    "The ttl of lock 'b' is 60 ms",
  ]);
  for (let id = 0; id < 40; id += 1) await unlessLost(locks.withLock(`order:${id}`, 60, () => {}));
  expect(ttlWarnings()).toHaveLength(20);
});

test('a short default ttl of the module is logged once, at the start', async () => {
  const { orders, locks, ttlWarnings } = await start({ defaults: { ttl: 30 } });
  const only = [
    expect.objectContaining({ message: expect.stringContaining('(`defaults.ttl`) is 30 ms, which') }),
  ];
  expect(ttlWarnings()).toEqual(only);
  await unlessLost(orders.look('1'));
  await unlessLost(locks.withLock('a', () => {}));
  expect(ttlWarnings()).toEqual(only);
});

test('a short ttl of an interceptor is logged once', async () => {
  @Controller()
  class Imports {
    @Get()
    @UseInterceptors(LockInterceptor(() => 'import', 30))
    async run() {
      return 'done';
    }
  }
  const logger = new RecordingLogger();
  const app = await TestApp.start(
    { imports: [LockModule.forRoot(zooKeeper.options())], controllers: [Imports] },
    { logger: logger },
  );
  for (let i = 0; i < 2; i += 1) await app.fetch('/');
  const said = logger.messages('warn').filter((message) => message.includes('looks like seconds'));
  expect(said).toEqual([expect.stringContaining('The ttl of Imports.run is 30 ms')]);
});

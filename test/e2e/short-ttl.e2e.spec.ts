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

/** On a machine that is busy such a short ttl may pass, which is not what is tested here. */
async function unlessLost(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof LockLostError)) throw error;
  });
}

async function start(options: LockModuleOptions = {}) {
  const logger = new RecordingLogger();
  const module = await startModule(zooKeeper.options(options), { providers: [Orders] }, logger);
  const suspicions = () =>
    logger.lines.filter(({ message }) => String(message).includes('looks like seconds'));
  return { orders: module.get(Orders), locks: module.get(LockService), suspicions };
}

test('a ttl that looks like seconds is a warning, once for each locked method', async () => {
  const { orders, suspicions } = await start();
  for (const id of ['1', '2', '3']) {
    await unlessLost(orders.pay(id));
    await unlessLost(orders.invoice(id));
    await unlessLost(orders.ship(id));
    await unlessLost(orders.look(id));
  }
  expect(suspicions()).toEqual([
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

test('and once for each name of a lock that is taken by hand, but not without end', async () => {
  const { locks, suspicions } = await start();
  for (let round = 0; round < 2; round += 1) {
    await unlessLost(locks.withLock('a\nb', 5, () => {}));
    await unlessLost(locks.withLock('b', { ttl: 60 }, () => {}));
    await unlessLost(locks.withLock('c', 0, () => {}));
  }
  expect(suspicions().map(({ message }) => String(message).split(',')[0])).toEqual([
    "The ttl of lock 'a\\u{a}b' is 5 ms",
    "The ttl of lock 'b' is 60 ms",
  ]);
  for (let id = 0; id < 40; id += 1) await unlessLost(locks.withLock(`order:${id}`, 60, () => {}));
  expect(suspicions()).toHaveLength(20);
});

test('and once for the default of the module, with the start', async () => {
  const { orders, locks, suspicions } = await start({ defaults: { ttl: 30 } });
  const only = [
    expect.objectContaining({ message: expect.stringContaining('(`defaults.ttl`) is 30 ms, which') }),
  ];
  expect(suspicions()).toEqual(only);
  await unlessLost(orders.look('1'));
  await unlessLost(locks.withLock('a', () => {}));
  expect(suspicions()).toEqual(only);
});

test('and once for an interceptor', async () => {
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

import { Controller, Get, Param } from '@nestjs/common';
import { describe, expect, test } from 'vitest';
import { LockModule, Locked, LockService } from '../../lib/index.js';
import { Latch, Barrier } from '../fixtures/latch.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { CriticalSectionLog } from '../fixtures/critical-section-log.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** The work of the handlers while they hold the lock; tests replace it. */
class Work {
  readonly log = new CriticalSectionLog();
  during: () => Promise<void> = async () => {};
}

@Controller()
class Orders {
  constructor(private readonly work: Work) {}

  @Locked('order:{0}')
  @Get('above/:id')
  async above(@Param('id') id: string) {
    return this.#handle(id);
  }

  @Get('below/:id')
  @Locked((id: string) => `order:${id}`)
  async below(@Param('id') id: string) {
    return this.#handle(id);
  }

  @Get('unlocked/:id')
  async unlocked(@Param('id') id: string) {
    return this.#handle(id);
  }

  async #handle(id: string) {
    await this.work.log.enter(id, this.work.during);
    return { id, locked: LockService.current()?.resource ?? null };
  }
}

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function start() {
    const options = zooKeeper.options();
    const replica = await Replica.open(options);
    const app = await TestApp.start(
      { imports: [LockModule.forRoot(options)], controllers: [Orders], providers: [Work] },
      { adapter },
    );
    return { app, replica, work: app.get(Work) };
  }

  test.each(['above', 'below'])('requests for one key run one after the other (%s @Get)', async (route) => {
    const { app, replica, work } = await start();
    const first = new Latch();
    work.during = () => first.opened;

    const requests = Array.from({ length: 5 }, () => app.fetch(`/${route}/42`));
    await hasWaiters(app.get(LockService), 'order:42', 4);
    expect(work.log.entries).toEqual([]);
    first.open();

    for (const response of await Promise.all(requests)) {
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ id: '42', locked: 'order:42' });
    }
    expect(work.log.entries).toHaveLength(5);
    expect(work.log.overlaps()).toEqual([]);
    await replica.becomesFree('order:42');
  });

  test('without a lock the same requests overlap', async () => {
    const { app, work } = await start();
    const barrier = new Barrier(2);
    work.during = () => barrier.join();
    await Promise.all([app.fetch('/unlocked/42'), app.fetch('/unlocked/42')]);
    expect(work.log.overlaps()).toHaveLength(1);
  });

  test('two routes with the same key exclude each other', async () => {
    const { app, work } = await start();
    const first = new Latch();
    work.during = () => first.opened;
    const requests = [app.fetch('/above/42'), app.fetch('/below/42')];
    await hasWaiters(app.get(LockService), 'order:42', 1);
    first.open();
    await Promise.all(requests);
    expect(work.log.entries).toHaveLength(2);
    expect(work.log.overlaps()).toEqual([]);
  });

  test('requests for different keys run concurrently', async () => {
    const { app, work } = await start();
    const barrier = new Barrier(2);
    work.during = () => barrier.join();
    const responses = await Promise.all([app.fetch('/above/1'), app.fetch('/above/2')]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  });
});

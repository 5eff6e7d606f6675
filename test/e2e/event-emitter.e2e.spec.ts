import { Injectable } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { expect, test } from 'vitest';
import { LockBusyError, LockService, Locked } from '../../lib/index.js';
import { Latch } from '../fixtures/latch.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { CriticalSectionLog } from '../fixtures/critical-section-log.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

class Work {
  readonly log = new CriticalSectionLog();
  readonly first = new Latch();
}

@Injectable()
class Listeners {
  constructor(private readonly work: Work) {}

  @Locked('order:{0}')
  @OnEvent('above')
  async above(id: string) {
    return this.#handle(id);
  }

  @OnEvent('below')
  @Locked('order:{0}')
  async below(id: string) {
    return this.#handle(id);
  }

  @OnEvent('busy', { suppressErrors: false })
  @Locked('order:{0}', { wait: 0 })
  async busy(_id: string) {}

  async #handle(id: string) {
    await this.work.log.enter(id, () => this.work.first.opened);
    return LockService.current()?.resource;
  }
}

async function start() {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const module = await startModule(options, {
    imports: [EventEmitterModule.forRoot()],
    providers: [Listeners, Work],
  });
  return {
    locks: module.get(LockService),
    replica,
    emitter: module.get(EventEmitter2),
    work: module.get(Work),
  };
}

test.each(['above', 'below'])('events of one key are handled one after the other (%s)', async (event) => {
  const { emitter, locks, work } = await start();
  const handled = Array.from({ length: 3 }, () => emitter.emitAsync(event, '42'));
  await hasWaiters(locks, 'order:42', 2);
  work.first.open();
  expect((await Promise.all(handled)).flat()).toEqual(['order:42', 'order:42', 'order:42']);
  expect(work.log.entries).toHaveLength(3);
  expect(work.log.overlaps()).toEqual([]);
});

test('emitAsync rejects with the lock error of a listener', async () => {
  const { emitter, replica } = await start();
  await replica.hold('order:42');
  await expect(emitter.emitAsync('busy', '42')).rejects.toBeInstanceOf(LockBusyError);
});

// oxlint-disable typescript/no-extraneous-class -- modules are classes without members
import {
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { expect, test } from 'vitest';
import { LockClosedError, LockService, Locked, type HeldLock } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Latch } from '../fixtures/latch.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

const outcomeOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(String, (error: Error) => error.constructor.name);

/** Holds a lock from start to shutdown, and acquires another one during the shutdown. */
@Injectable()
class Leader implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly outcomes: string[] = [];
  leadership!: HeldLock;

  constructor(private readonly locks: LockService) {}

  async onModuleInit(): Promise<void> {
    this.leadership = await this.locks.lock('leader');
    this.outcomes.push(`init: ${this.leadership.isHeld()}`);
  }

  async onModuleDestroy(): Promise<void> {
    this.outcomes.push(`destroy: ${await outcomeOf(this.locks.withLock('handover', () => 'done'))}`);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.outcomes.push(`before shutdown: ${await this.leadership.release()}`);
  }

  async onApplicationShutdown(): Promise<void> {
    this.outcomes.push(`shutdown: ${await outcomeOf(this.locks.lock('too late'))}`);
  }
}

@Injectable()
class Orders {
  readonly later = new Latch();
  /** Background work. */
  afterwards: Promise<boolean | undefined> | undefined;

  @Locked('order')
  async pay() {
    this.afterwards = this.later.opened.then(() => LockService.current('order')?.isHeld());
    return LockService.current()?.resource;
  }
}

@Module({ providers: [Orders], exports: [Orders] })
class OrdersModule {}

test('locks work in the hooks of the application until its servers are closed', async () => {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const module = await startModule(options, { providers: [Leader] });
  const log = new EventRecorder(module.get(LockService));
  const { outcomes } = module.get(Leader);
  expect(await replica.isFree('leader')).toBe(false);
  await module.close();
  expect(await replica.isFree('leader')).toBe(true);
  expect(outcomes).toEqual([
    'init: true',
    'destroy: done',
    'before shutdown: true',
    `shutdown: ${LockClosedError.name}`,
  ]);
  expect(log.ofType('lost')).toEqual([]);
});

test('locks work in a module that is loaded lazily', async () => {
  const module = await startModule(zooKeeper.options(), {});
  const moduleRef = await module.get(LazyModuleLoader).load(() => OrdersModule);
  expect(await moduleRef.get(Orders).pay()).toBe('order');
});

test('work that continues after the release still finds its lock, which is no longer held', async () => {
  const module = await startModule(zooKeeper.options(), { providers: [Orders] });
  const orders = module.get(Orders);
  await orders.pay();
  orders.later.open();
  expect(await orders.afterwards).toBe(false);
});

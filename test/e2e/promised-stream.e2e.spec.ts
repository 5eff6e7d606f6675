import { Injectable } from '@nestjs/common';
import { Observable, Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { LockConfigurationError, LockLostError, LockService, Locked } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** Methods whose streams are unknown to `@Locked` before the call. */
@Injectable()
class Feed {
  source$ = new Subject<number>();

  @Locked('feed')
  async promised(): Promise<Observable<number>> {
    return this.source$;
  }

  /** Without an annotation, the return type is unknown. */
  @Locked('feed')
  inferred() {
    return this.source$.asObservable();
  }

  @Locked('feed', 3_000)
  async promisedBriefly(): Promise<Observable<number>> {
    return this.source$;
  }

  @Locked('feed')
  async delegated(): Promise<AsyncGenerator<boolean>> {
    return this.#numbers();
  }

  async *#numbers() {
    yield LockService.current()?.isHeld() === true;
    yield LockService.current()?.isHeld() === true;
  }
}

async function start() {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const module = await startModule(options, { providers: [Feed] });
  return { replica, feed: module.get(Feed), log: new EventRecorder(module.get(LockService)) };
}

test.each(['promised', 'inferred'] as const)('%s Observable: locked until it completes', async (method) => {
  const { feed, replica, log } = await start();
  const feed$ = await feed[method]();
  const values: number[] = [];
  const completed = new Promise<void>((resolve) => {
    feed$.subscribe({ next: (value) => values.push(value), complete: resolve });
  });
  feed.source$.next(42);
  expect(await replica.isFree('feed')).toBe(false);
  feed.source$.complete();
  await completed;
  expect(values).toEqual([42]);
  expect(await replica.isFree('feed')).toBe(true);
  expect(log.types).toEqual(['acquired', 'released']);
});

test('unsubscribing from a promised Observable frees the lock', async () => {
  const { feed, replica } = await start();
  const subscription = (await feed.promised()).subscribe();
  expect(await replica.isFree('feed')).toBe(false);
  subscription.unsubscribe();
  await replica.becomesFree('feed');
});

test('a promised Observable cannot be subscribed to again after its lock was released', async () => {
  const { feed } = await start();
  const feed$ = await feed.promised();
  feed$.subscribe().unsubscribe();
  const again = new Promise((_resolve, reject) => {
    feed$.subscribe({ error: reject });
  });
  await expect(again).rejects.toBeInstanceOf(LockConfigurationError);
  await expect(again).rejects.toThrow(/'feed'.+a method that is not async and is annotated as Observable/);
  expect(feed.source$.observed).toBe(false);
});

test('a promised Observable fails if its lock was lost before the subscription', async () => {
  const { feed, log } = await start();
  const feed$ = await feed.promisedBriefly();
  await log.told('ttlExpired');
  const outcome = new Promise((resolve, reject) => {
    feed$.subscribe({ next: resolve, error: reject });
  });
  await expect(outcome).rejects.toBeInstanceOf(LockLostError);
  expect(feed.source$.observed).toBe(false);
});

test('a promised generator keeps the lock during all steps', async () => {
  const { feed, replica } = await start();
  const held: boolean[] = [];
  for await (const step of await feed.delegated()) {
    held.push(step);
    expect(await replica.isFree('feed')).toBe(false);
  }
  expect(held).toEqual([true, true]);
  expect(await replica.isFree('feed')).toBe(true);
});

test('a promised generator that is abandoned before its first step frees the lock', async () => {
  const { feed, replica } = await start();
  const generator = await feed.delegated();
  expect(await replica.isFree('feed')).toBe(false);
  await generator.return(undefined);
  expect(await replica.isFree('feed')).toBe(true);
});

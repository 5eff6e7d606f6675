import { Injectable } from '@nestjs/common';
import {
  Observable,
  Subject,
  defer,
  finalize,
  firstValueFrom,
  lastValueFrom,
  of,
  repeat,
  take,
  toArray,
} from 'rxjs';
import { expect, test } from 'vitest';
import { LockLostError, LockService, Locked, type LockModuleOptions } from '../../lib/index.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Injectable()
class Feed {
  source$: Observable<number> = new Subject<number>();
  /** Whether `LockService.current()` was held in the subscribe function and in the teardown. */
  readonly inContext: (boolean | undefined)[] = [];

  @Locked('feed')
  watch(): Observable<number> {
    return defer(() => {
      const held = LockService.current('feed');
      this.inContext.push(held?.isHeld());
      return this.source$.pipe(finalize(() => this.inContext.push(held?.isHeld())));
    });
  }

  @Locked('feed', 1_000)
  watchBriefly(): Observable<number> {
    return this.source$;
  }
}

async function start(overrides?: LockModuleOptions) {
  const options = zooKeeper.options(overrides);
  const replica = await Replica.open({ ...options, connectString: zooKeeper.server.connectString });
  const module = await startModule(options, { providers: [Feed] });
  return { replica, feed: module.get(Feed), log: new EventRecorder(module.get(LockService)) };
}

test('nothing is locked before the subscription, and unsubscribing frees the lock', async () => {
  const { feed, log, replica } = await start();
  const feed$ = feed.watch();
  expect(feed$).toBeInstanceOf(Observable);
  const subscription = feed$.subscribe();
  expect(log.types).toEqual([]);
  // The event is emitted after others can see the node, because the owner learns of the grant later.
  await log.told('acquired');
  expect(await replica.isFree('feed')).toBe(false);
  subscription.unsubscribe();
  await replica.becomesFree('feed');
  expect(log.types).toEqual(['acquired', 'released']);
});

test('the lock is free when the Observable completes', async () => {
  const { feed, replica } = await start();
  feed.source$ = of(1, 2, 3);
  expect(await lastValueFrom(feed.watch().pipe(toArray()))).toEqual([1, 2, 3]);
  expect(await replica.isFree('feed')).toBe(true);
});

test('the lock is free when the Observable fails', async () => {
  const proxy = endedWithTest(await FaultProxy.start(zooKeeper.server));
  const { feed, replica } = await start({ connectString: proxy.connectString });
  const failure = new Error('the source failed');
  feed.source$ = defer(() => Promise.reject(failure));
  const release = proxy.once('delete', 'holdRequest');
  let arrived = false;
  const outcome = lastValueFrom(feed.watch().pipe(finalize(() => (arrived = true))));
  outcome.catch(() => {});
  await release.held;
  expect(arrived).toBe(false);
  release.release();
  await expect(outcome).rejects.toBe(failure);
  expect(await replica.isFree('feed')).toBe(true);
});

test('every subscription acquires the lock separately, one after the other', async () => {
  const { feed, log } = await start();
  const source = new Subject<number>();
  feed.source$ = source;
  const feed$ = feed.watch();
  const first = feed$.subscribe();
  await log.told('acquired');
  const second = firstValueFrom(feed$);
  await log.told('waiting');
  first.unsubscribe();
  await log.told('acquired', 2);
  source.next(42);
  expect(await second).toBe(42);
});

test('unsubscribing while waiting for the lock leaves the queue', async () => {
  const { feed, replica, log } = await start();
  const held = await replica.hold('feed');
  const subscription = feed.watch().subscribe();
  await log.told('waiting');
  subscription.unsubscribe();
  await replica.hasWaiters('feed', 0);
  await log.told('aborted');
  await held.release();
  expect(feed.inContext).toEqual([]);
});

test('the lock is held in the subscribe function and in the teardown', async () => {
  const { feed, log } = await start();
  const subscription = feed.watch().subscribe();
  await log.told('acquired');
  subscription.unsubscribe();
  expect(feed.inContext).toEqual([true, true]);
});

test('an infinite synchronous source stops when its subscriber unsubscribes', async () => {
  const { feed, replica } = await start();
  let produced = 0;
  feed.source$ = defer(() => of((produced += 1))).pipe(repeat());
  expect(await lastValueFrom(feed.watch().pipe(take(3), toArray()))).toEqual([1, 2, 3]);
  expect(produced).toBe(3);
  await replica.becomesFree('feed');
});

test('losing the lock during the stream fails it and unsubscribes from its source', async () => {
  const { feed, log } = await start();
  const source = new Subject<number>();
  feed.source$ = source;
  const seen: number[] = [];
  const failed = new Promise<unknown>((resolve) => {
    feed.watchBriefly().subscribe({ next: (value) => seen.push(value), error: resolve });
  });
  await log.told('acquired');
  source.next(1);
  const error = await failed;
  expect(error).toBeInstanceOf(LockLostError);
  expect(error).toMatchObject({ reason: 'ttl', resource: 'feed' });
  source.next(2);
  expect(seen).toEqual([1]);
  expect(source.observed).toBe(false);
});

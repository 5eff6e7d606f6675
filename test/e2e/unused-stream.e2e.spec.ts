import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Observable, Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { LockLostError, LockModule, LockService, Locked } from '../../lib/index.js';
import { LockTesting, LockTestingModule } from '../../lib/testing/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';

@Injectable()
class Feed {
  readonly source$ = new Subject<number>();
  steps = 0;

  @Locked('feed')
  async promised(): Promise<Observable<number>> {
    return this.source$;
  }

  @Locked('feed')
  inferred() {
    return this.source$.asObservable();
  }

  @Locked('feed')
  async delegated() {
    return this.rows();
  }

  @Locked('own')
  async *rows() {
    yield (this.steps += 1);
    yield (this.steps += 1);
  }

  @Locked('own')
  watch(): Observable<number> {
    return this.source$;
  }
}

async function start() {
  const module = await Test.createTestingModule({
    imports: [LockModule.forRoot({}), LockTestingModule.forRoot({ time: 'manual' })],
    providers: [Feed],
  })
    .setLogger(new RecordingLogger())
    .compile();
  endedWithTest({ [Symbol.asyncDispose]: () => module.close() });
  return {
    feed: module.get(Feed),
    testing: module.get(LockTesting),
    log: new EventRecorder(module.get(LockService)),
  };
}

test('nothing is locked for an Observable or a generator that is returned but never used', async () => {
  const { feed, log } = await start();
  feed.watch();
  feed.rows();
  await feed.rows().return(undefined);
  expect(log.types).toEqual([]);
});

test.each(['promised', 'inferred'] as const)(
  'an Observable that nobody subscribes to loses its lock after 30 s (%s)',
  async (method) => {
    const { feed, testing, log } = await start();
    await feed[method]();
    await testing.advance(29_000);
    expect(testing.holders).toHaveLength(1);
    await testing.advance(1_000);
    testing.assertNothingHeld();
    expect(log.ofType('lost')).toMatchObject([{ resource: 'feed', reason: 'unused' }]);
  },
);

test('a subscription to a promised Observable after that loss fails', async () => {
  const { feed, testing } = await start();
  const feed$ = await feed.promised();
  await testing.advance(30_000);
  const failed = new Promise((resolve) => {
    feed$.subscribe({ error: resolve });
  });
  expect(await failed).toBeInstanceOf(LockLostError);
  expect(await failed).toMatchObject({ reason: 'unused' });
  expect(feed.source$.observed).toBe(false);
});

test('a subscription to the Observable of a method without a type after that loss acquires the lock again', async () => {
  const { feed, testing, log } = await start();
  const feed$ = feed.inferred();
  await log.told('acquired');
  await testing.advance(30_000);
  testing.assertNothingHeld();
  const subscription = feed$.subscribe();
  await log.told('acquired', 2);
  expect(testing.holders).toHaveLength(1);
  expect(feed.source$.observed).toBe(true);
  subscription.unsubscribe();
});

test('a promised generator that nobody iterates loses its lock after 30 s', async () => {
  const { feed, testing } = await start();
  const rows = await feed.delegated();
  await testing.advance(30_000);
  testing.assertNothingHeld();
  await expect(rows.next()).rejects.toMatchObject({ name: 'LockLostError', reason: 'unused' });
  expect(await rows.next()).toEqual({ done: true, value: undefined });
  expect(feed.steps).toBe(0);
});

test('a stream that is used keeps its lock until it ends', async () => {
  const { feed, testing } = await start();
  const subscription = (await feed.promised()).subscribe();
  await testing.advance(120_000);
  expect(testing.holders).toHaveLength(1);
  subscription.unsubscribe();
  const rows = await feed.delegated();
  await rows.next();
  await testing.advance(120_000);
  expect(await rows.next()).toEqual({ done: false, value: 2 });
  expect(testing.holders).toHaveLength(2);
  await rows.return();
});

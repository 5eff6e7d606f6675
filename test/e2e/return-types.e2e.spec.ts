import { Readable } from 'node:stream';
import {
  Observable,
  Subject,
  firstValueFrom,
  from,
  isObservable,
  lastValueFrom,
  of,
  retry,
  switchMap,
  toArray,
} from 'rxjs';
import { describe, expect, test } from 'vitest';
import { LockConfigurationError, LockService, Locked, type LockedOptions } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

interface Methods {
  pay(): Promise<string>;
  decline(): Promise<never>;
  watch(): Observable<number>;
  subject(): Subject<number>;
  rows(): AsyncGenerator<number, string, unknown>;
  readable(): Readable;
  iterable(): AsyncIterable<number>;
  value(): number;
  nothing(): void;
}

/** The return type that a compiler emits as metadata of a method, if it emits any. */
const RETURN_TYPES: Record<keyof Methods, unknown> = {
  pay: Promise,
  decline: Promise,
  watch: Observable,
  subject: Subject,
  rows: Object,
  readable: Readable,
  iterable: Object,
  value: Number,
  nothing: undefined,
};

/** Plain functions: only their types declare what they return. Decorated by hand, as compilers do it. */
function feedClass(metadata: boolean, options: LockedOptions) {
  class Feed implements Methods {
    readonly source$ = new Subject<number>();
    readonly held: (boolean | undefined)[] = [];

    pay() {
      this.#note();
      return Promise.resolve('paid');
    }

    decline() {
      this.#note();
      return Promise.reject(new Error('declined'));
    }

    watch(): Observable<number> {
      this.#note();
      return of(1, 2, 3);
    }

    subject() {
      this.#note();
      return this.source$;
    }

    rows() {
      return this.#rows();
    }

    readable() {
      return Readable.from(['a', 'b']);
    }

    iterable() {
      return { [Symbol.asyncIterator]: () => this.#rows() };
    }

    value() {
      return 42;
    }

    nothing() {}

    async *#rows() {
      this.#note();
      yield 1;
      this.#note();
      return 'done';
    }

    #note() {
      this.held.push(LockService.current('feed')?.isHeld());
    }
  }
  for (const [method, type] of Object.entries(RETURN_TYPES)) {
    if (metadata) Reflect.defineMetadata('design:returntype', type, Feed.prototype, method);
    const descriptor = Object.getOwnPropertyDescriptor(Feed.prototype, method)!;
    Locked('feed', options)(
      Feed.prototype,
      method,
      descriptor as TypedPropertyDescriptor<() => Promise<void>>,
    );
    Object.defineProperty(Feed.prototype, method, descriptor);
  }
  return Feed;
}

test('without the metadata of decorators, a busy lock is logged if nobody uses the result', async () => {
  const moduleOptions = zooKeeper.options();
  const logger = new RecordingLogger();
  const replica = await Replica.open(moduleOptions);
  await replica.hold('feed');
  const Feed = feedClass(false, { wait: 0 });
  const module = await startModule(moduleOptions, { providers: [Feed] }, logger);
  module.get(Feed).watch();
  await eventually(() => logger.messages('error').length === 1);
  expect(logger.messages('error')[0]).toMatch(
    /^Feed\.watch did not run, and nobody has used its result so far\. .+ was LockBusyError: Lock 'feed' is busy/,
  );
});

describe.each([
  ['with the metadata of decorators', true],
  ['without the metadata of decorators', false],
])('%s', (_, metadata) => {
  async function start(options: LockedOptions = {}) {
    const moduleOptions = zooKeeper.options();
    const replica = await Replica.open(moduleOptions);
    const Feed = feedClass(metadata, options);
    const module = await startModule(moduleOptions, { providers: [Feed] });
    return { replica, feed: module.get(Feed), log: new EventRecorder(module.get(LockService)) };
  }

  test('a method typed Promise returns a Promise, and runs even if nobody awaits it', async () => {
    const { feed, replica, log } = await start();
    expect(await feed.pay()).toBe('paid');
    expect(await replica.isFree('feed')).toBe(true);
    void feed.pay();
    await log.told('released', 2);
    expect(feed.held).toEqual([true, true]);
  });

  test('an Observable created from the promise runs the method once for all subscribers', async () => {
    const { feed, log } = await start();
    const paid$ = from(feed.pay());
    expect(await Promise.all([lastValueFrom(paid$), firstValueFrom(paid$)])).toEqual(['paid', 'paid']);
    expect(log.types).toEqual(['acquired', 'released']);
  });

  test('an Observable created from the promise does not run the method again to retry it', async () => {
    const { feed, replica, log } = await start();
    const declined$ = from(feed.decline()).pipe(retry(1));
    await expect(lastValueFrom(declined$)).rejects.toThrow('declined');
    expect(feed.held).toEqual([true]);
    expect(log.types).toEqual(['acquired', 'released']);
    expect(await replica.isFree('feed')).toBe(true);
  });

  test('a method typed Observable returns an Observable that runs under the lock', async () => {
    const { feed, replica, log } = await start();
    const feed$ = feed.watch();
    expect(feed$).toBeInstanceOf(Observable);
    expect(isObservable(feed$)).toBe(true);
    expect(await lastValueFrom(feed$.pipe(toArray()))).toEqual([1, 2, 3]);
    expect(await replica.isFree('feed')).toBe(true);
    expect(await lastValueFrom(of(0).pipe(switchMap(() => feed.watch())))).toBe(3);
    expect(feed.held).toEqual([true, true]);
    expect(log.types).toEqual(['acquired', 'released', 'acquired', 'released']);
  });

  test('every subscription acquires the lock separately', async () => {
    const { feed, log } = await start();
    const feed$ = feed.watch();
    const both = [lastValueFrom(feed$), lastValueFrom(feed$)];
    expect(await Promise.all(both)).toEqual([3, 3]);
    expect(log.ofType('acquired')).toHaveLength(2);
    expect(log.ofType('released')).toHaveLength(2);
  });

  test('a method typed Subject returns an Observable, and unsubscribing frees the lock', async () => {
    const { feed, replica, log } = await start();
    const seen: number[] = [];
    const subscription = feed.subject().subscribe((value) => seen.push(value));
    await log.told('acquired');
    feed.source$.next(42);
    expect(await replica.isFree('feed')).toBe(false);
    subscription.unsubscribe();
    await replica.becomesFree('feed');
    expect(feed.source$.observed).toBe(false);
    expect(seen).toEqual([42]);
  });

  test('unsubscribing while waiting for the lock leaves the queue', async () => {
    const { feed, replica, log } = await start();
    const held = await replica.hold('feed');
    const feed$ = feed.watch();
    const subscription = feed$.subscribe();
    await log.told('waiting');
    subscription.unsubscribe();
    await replica.hasWaiters('feed', 0);
    await held.release();
    expect(feed.held).toEqual([]);
    expect(await lastValueFrom(feed$)).toBe(3);
  });

  test('a method typed AsyncGenerator returns a generator that runs under the lock', async () => {
    const { feed, replica } = await start();
    for await (const row of feed.rows()) {
      expect(row).toBe(1);
      expect(await replica.isFree('feed')).toBe(false);
    }
    expect(await replica.isFree('feed')).toBe(true);
    const rows = feed.rows();
    expect(await rows.next()).toEqual({ done: false, value: 1 });
    expect(await rows.return('left')).toEqual({ done: true, value: 'left' });
    expect(await replica.isFree('feed')).toBe(true);
    expect(feed.held).toEqual([true, true, true]);
  });

  test.each([
    ['readable', /Feed\.readable is locked, and must return .+: it returned an object Readable/],
    ['iterable', /Feed\.iterable is locked.+: it returned an object Object/],
    ['value', /Feed\.value is locked.+: it returned 42 \(number\)/],
    ['nothing', /Feed\.nothing is locked.+: it returned undefined/],
  ] as const)(
    'a result that a lock cannot cover is rejected, and the lock is free (%s)',
    async (method, says) => {
      const { feed, replica } = await start();
      const outcome = feed[method]() as unknown as Promise<never>;
      await expect(outcome).rejects.toBeInstanceOf(LockConfigurationError);
      await expect(outcome).rejects.toThrow(says);
      expect(await replica.isFree('feed')).toBe(true);
    },
  );

  test('a call that is skipped returns nothing, for every return type', async () => {
    const { feed, replica } = await start({ wait: 0, onBusy: 'skip' });
    await replica.hold('feed');
    expect(await feed.pay()).toBeUndefined();
    expect(await lastValueFrom(feed.watch(), { defaultValue: 'empty' })).toBe('empty');
    expect(await feed.rows().next()).toEqual({ done: true, value: undefined });
    expect(feed.held).toEqual([]);
  });
});

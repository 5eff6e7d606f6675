import { of } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { LockClosedError, LockConfigurationError, LockService } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** A lock service as untyped code uses it. */
type Untyped = Record<
  'lock' | 'tryLock' | 'unlock' | 'withLock' | 'inspect',
  (...args: unknown[]) => Promise<unknown>
>;

async function start() {
  const module = await startModule(zooKeeper.options(), {});
  const locks = module.get(LockService);
  return { module, locks, untyped: locks as unknown as Untyped, log: new EventRecorder(locks) };
}

async function work(): Promise<void> {}

describe('is rejected before anything is acquired', () => {
  test.each<[what: string, call: (locks: Untyped) => Promise<unknown>, says: string]>([
    [
      'withLock without work',
      (locks) => locks.withLock('a'),
      "withLock('a', ...) needs the work as its last argument, a function that runs under the lock: got nothing. Write " +
        "withLock('a', options, async () => { ... }), or lock('a', options) for a lock that you release yourself",
    ],
    [
      'withLock with a ttl instead of the work',
      (locks) => locks.withLock('a', 5_000),
      'got 5000 (number). Write withLock(',
    ],
    [
      'withLock with options instead of the work',
      (locks) => locks.withLock('a', { wait: 300 }),
      'got an object Object. Write',
    ],
    [
      'withLock with the promise of the work instead of the work',
      (locks) => locks.withLock('a', work()),
      'got an object Promise. Write',
    ],
    [
      'withLock with undefined as the work',
      (locks) => locks.withLock('a', 5_000, undefined),
      'got 5000 (number), undefined. Write',
    ],
    [
      'withLock with the options after the work',
      (locks) => locks.withLock('a', work, { ttl: 1 }),
      "withLock('a', ...) takes options before the work, which is the last argument: got a function work, an object Object. Write " +
        "withLock('a', options, work)",
    ],
    [
      'withLock with undefined after the work',
      (locks) => locks.withLock('a', work, undefined),
      'got a function work, undefined. Write',
    ],
    [
      'withLock with a ttl and options',
      (locks) => locks.withLock('a', 5_000, { wait: 1 }, work),
      'got 5000 (number), an object Object, a function work. Write',
    ],
    [
      'withLock of many names without work',
      (locks) => locks.withLock(Array.from({ length: 100 }, (_, n) => `a${n}`)),
      "withLock(['a0', 'a1', 'a2', 'a3', 'a4' and 95 more], ...) needs the work as its last argument",
    ],
    [
      'withLock without a name',
      (locks) => locks.withLock(work),
      'must be a non-empty string: got a function work',
    ],
    [
      'lock with the work of withLock',
      (locks) => locks.lock('a', work),
      'must be a ttl in ms or an object of options: got a function work. To run a function under the lock, use ' +
        'withLock(name, options, work)',
    ],
    [
      'lock with options and the work of withLock',
      (locks) => locks.lock('a', 5_000, work),
      'lock() takes a resource name, and a ttl or options: got one more argument, a function work. To run a function ' +
        'under the lock, use withLock(name, options, work)',
    ],
    [
      'lock with a ttl and options',
      (locks) => locks.lock('a', 5_000, { wait: 1 }),
      'got one more argument, an object Object. Pass all options in one object',
    ],
    [
      'tryLock with the work of withLock',
      (locks) => locks.tryLock('a', work),
      'use withLock(name, options, work)',
    ],
    [
      'tryLock with a third argument',
      (locks) => locks.tryLock('a', 1, work),
      'tryLock() takes a resource name, and',
    ],
    [
      'unlock of a name',
      (locks) => locks.unlock('a'),
      "got 'a' (string). A name does not prove that you hold the lock: keep",
    ],
    ['unlock of a promise', (locks) => locks.unlock(work()), 'got an object Promise. Await it first'],
    [
      'unlock of the null that tryLock returned',
      (locks) => locks.unlock(null),
      'unlock() takes the HeldLock that lock() or tryLock() returned: got null, which tryLock() returns if the lock is busy: then ' +
        'there is nothing to unlock',
    ],
    [
      'unlock of a handle of another copy of the package',
      (locks) => locks.unlock({ release: () => {}, isHeld: () => true }),
      'got an object Object. It is a handle of another copy of this package, or of a test: call its own release()',
    ],
    ['unlock of nothing', (locks) => locks.unlock(), 'lock() or tryLock() returned: got undefined'],
    [
      'inspect with options',
      (locks) => locks.inspect('a', { wait: 1 }),
      '`signal` must be an AbortSignal: got an object Object',
    ],
  ])('%s', async (_what, call, says) => {
    const { untyped, log } = await start();
    const outcome = call(untyped);
    await expect(outcome).rejects.toBeInstanceOf(LockConfigurationError);
    await expect(outcome).rejects.toThrow(says);
    expect(log.types).toEqual([]);
  });
});

test.each(['', undefined, 42])('forResource rejects %j, for which no events are emitted', async (name) => {
  const { locks } = await start();
  expect(() => locks.forResource(name as string)).toThrow(/A resource name must be a non-empty string: got /);
});

test.each<[what: string, result: () => unknown, shown: string]>([
  ['an Observable', () => of(1), 'an Observable'],
  ['a promised Observable', async () => of(1), 'an Observable'],
  ['an async generator', async function* rows() {}, 'an async generator'],
])(
  'work that returns %s is rejected, because that would run without the lock',
  async (_what, result, shown) => {
    const { locks, log } = await start();
    const outcome = locks.withLock('a', result);
    await expect(outcome).rejects.toBeInstanceOf(LockConfigurationError);
    await expect(outcome).rejects.toThrow(
      `Work under lock 'a' returned ${shown}, which would run without the lock, because the lock is released after the work. Consume it inside ` +
        'the work, for example with lastValueFrom() or `for await`, or lock a method with @Locked',
    );
    expect(log.types).toEqual(['acquired', 'released']);
  },
);

test('after the shutdown, inspect rejects and says that the service is closed', async () => {
  const { module, locks } = await start();
  await module.close();
  const outcome = locks.inspect('a');
  await expect(outcome).rejects.toBeInstanceOf(LockClosedError);
  await expect(outcome).rejects.toThrow(
    "Lock 'a' was not inspected: the lock service is shutting down, or has been closed. Try again on another instance.",
  );
  await expect(locks.lock('a')).rejects.toThrow(
    "Lock 'a' was not acquired: the lock service is shutting down",
  );
});

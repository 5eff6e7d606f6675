import { beforeEach, expect, test } from 'vitest';
import { LockConfigurationError } from '../../../lib/locking/errors/lock-configuration.error.js';
import { Random } from '../world/random.js';
import { Scheduler } from '../world/scheduler.js';
import { GuardedResource } from './guarded-resource.js';

let scheduler: Scheduler;
let guard: GuardedResource;

beforeEach(() => {
  scheduler = new Scheduler(new Random('ties'));
  guard = new GuardedResource(scheduler, new Random('ways'));
});

function write(now: number, token: bigint, resource = 'a/b'): Promise<boolean> {
  return guard.write(now, { attempt: `p1.1#${token}`, resource, moment: 'first', token });
}

async function all<T>(writes: readonly Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
  const settled = Promise.allSettled(writes);
  await scheduler.run(() => false);
  return settled;
}

test('a guarded resource rejects the writes of an earlier holder, and no other', async () => {
  const times = [0, 1_000, 2_000, 3_000];
  const results = await all([5n, 7n, 7n, 5n].map((token, index) => write(times[index]!, token)));
  expect(results).toMatchObject([{ value: true }, { value: true }, { value: true }, { value: false }]);
  expect(guard.writes.map(({ token, accepted }) => [token, accepted])).toEqual([
    ...[
      [5n, true],
      [7n, true],
      [7n, true],
    ],
    [5n, false],
  ]);
});

test('writes under way at the same time are accepted in the order of their tokens', async () => {
  await all(Array.from({ length: 50 }, (_, index) => write(0, BigInt(1 + ((index * 7) % 50)))));
  const accepted = guard.writes.filter((one) => one.accepted).map(({ token }) => token);
  expect(guard.writes).toHaveLength(50);
  expect(accepted).toEqual(accepted.toSorted((a, b) => (a < b ? -1 : 1)));
});

test('tokens of different resources are not compared', async () => {
  expect(await all([write(0, 7n, 'a'), write(1_000, 5n, 'b')])).toMatchObject([
    { value: true },
    { value: true },
  ]);
});

test('a write without a valid token fails, and is not taken for a rejected one', async () => {
  const [result] = await all([write(0, 0n)]);
  expect(result).toMatchObject({ reason: expect.any(LockConfigurationError) });
  expect(guard.writes).toEqual([]);
});

import { expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import type { EnterRequest } from '../../lib/locking/lock-provider.interface.js';
import type { WatchListener } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import type { ContenderNode } from '../../lib/zookeeper/recipe/contender-node.js';
import { ContenderQueues } from '../../lib/zookeeper/recipe/contender-queues.js';
import { PathMemory } from '../../lib/zookeeper/recipe/path-memory.js';
import { QueuePosition, type WaitingPlace } from '../../lib/zookeeper/recipe/queue-position.js';
import type { RecipeContext } from '../../lib/zookeeper/recipe/recipe-context.js';
import { WatchedPermits } from '../../lib/zookeeper/recipe/watched-permits.js';
import { FakeClock, settled } from './fake-clock.js';

const LOCK_PATH = '/locks/a';
const nameOf = (number: number) =>
  `_c_00000000-0000-4000-8000-000000000000-lock-${String(number).padStart(10, '0')}`;
/** Far from the head, a waiter watches only the one ahead of it. */
const QUEUE = [0, 1, 2, 3, 4, 5].map(nameOf);
const PREDECESSOR = `${LOCK_PATH}/${nameOf(4)}`;

test('a contender that has left, and is still in the list of the next server, is watched again', async () => {
  const watches: [path: string, listener: WatchListener][] = [];
  let lists = 0;
  const client = {
    getData: async (path: string, { watch }: { watch?: WatchListener }) => {
      if (watch !== undefined) watches.push([path, watch]);
      return { data: Buffer.from('{}'), stat: {} };
    },
  };
  const node = {
    ...{ lockPath: LOCK_PATH, name: nameOf(5), path: `${LOCK_PATH}/${nameOf(5)}`, bounds: {} },
    session: { client, isConnected: true, observe: () => () => {}, timeout: 20_000 },
    requests: { reconnected: async () => {} },
    create: async () => ({ children: QUEUE }),
    list: async () => {
      lists += 1;
      return { children: QUEUE };
    },
  } as unknown as ContenderNode;
  const request = { mode: 'exclusive', abort: new LazyAbort(), onPredecessor: () => {} };
  const context = {
    ...{ clock: new FakeClock(), queues: new ContenderQueues(() => {}) },
    ...{ permits: new PathMemory<number>(), watchedPermits: new WatchedPermits() },
  };
  const position = new QueuePosition(
    node,
    request as unknown as EnterRequest,
    context as unknown as RecipeContext,
  );
  const leave = (): void => watches.at(-1)![1]({ type: 'deleted', path: PREDECESSOR });

  const first = position.next((await position.join()) as WaitingPlace);
  await settled();
  leave();
  void position.next((await first) as WaitingPlace);
  await settled();
  expect([lists, watches.map(([path]) => path)]).toEqual([1, [PREDECESSOR, PREDECESSOR]]);
  leave();
  await settled();
  expect(lists).toBe(2);
});

import { expect, test } from 'vitest';
import type { Created, Step } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import { createRetryPolicy } from '../../lib/locking/retry-policy.js';
import { Chroot } from '../../lib/zookeeper/recipe/chroot.js';
import { LockParents } from '../../lib/zookeeper/recipe/lock-parents.js';
import { PersistentRemovals } from '../../lib/zookeeper/recipe/persistent-removals.js';
import type { ServerSession } from '../../lib/zookeeper/session/server-session.js';
import { FakeClock, settled } from './fake-clock.js';
import { ScriptedClient } from './scripted-client.js';

/** A client whose server has these nodes. */
class TreeClient extends ScriptedClient {
  readonly nodes = new Set(['/locks']);
  created = 0;

  override create = (async (path: string): Promise<Created> => {
    if (this.nodes.has(path)) throw new ZooKeeperError('NODE_EXISTS', 'there', { path });
    this.nodes.add(path);
    this.created += 1;
    return { path, czxid: 1n };
  }) as never;

  /** The next transactions fail so. */
  readonly failures: ZooKeeperError[] = [];

  override transact = (async (steps: readonly Step[]): Promise<void> => {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    this.nodes.delete(steps.at(-1)!.path);
  }) as never;
}

function parents() {
  const clock = new FakeClock();
  const client = new TreeClient();
  const chroot = new Chroot({ path: '', create: false, acl: [] });
  const lockParents = new LockParents({
    acl: [],
    clock,
    retry: createRetryPolicy({ maxRetryCount: 0, initialRetryWaitMs: 50, retryDelay: 50 }),
    chroot,
    removals: new PersistentRemovals(clock),
  });
  const session = {
    client,
    isConnected: true,
    timeout: 8_000,
    reachable: async () => true,
    observe: () => () => {},
  } as unknown as ServerSession;
  return {
    clock,
    client,
    lockParents,
    session,
    /** Acquires and releases a lock, as far as its path is concerned. */
    use: async (path: string): Promise<void> => {
      if (!client.nodes.has(path)) await lockParents.make(client, path, {});
      lockParents.tidy(session, path);
      await settled();
    },
  };
}

const name = (number: number): string => `/locks/order-${number}`;

test('many new lock paths are removed after their use, because the server would be too slow (H24)', async () => {
  const { client, use } = parents();
  for (let number = 0; number < 300; number += 1) await use(name(number));
  expect(client.nodes.size).toBeLessThan(110);
});

test('a few new lock paths are left to the server', async () => {
  const { clock, client, use } = parents();
  for (let number = 0; number < 300; number += 1) {
    await use(name(number));
    await clock.run(20);
  }
  expect(client.nodes.size).toBe(301);
});

test('many lock paths that are used again and again stay, however many they are', async () => {
  const { clock, client, use } = parents();
  for (let round = 0; round < 20; round += 1) {
    for (let number = 0; number < 300; number += 1) await use(name(number));
    await clock.run(500);
  }
  expect(client.nodes.size).toBe(301);
  // Each of them was removed a few times at most, in the first seconds.
  expect(client.created).toBeLessThan(5 * 300);
});

test('a path that is removed after its use is not known any more, so that the next contender makes it again', async () => {
  const { lockParents, session, use } = parents();
  for (let number = 0; number < 200; number += 1) {
    lockParents.remember(session, name(number));
    await use(name(number));
  }
  expect(lockParents.knows(session, name(1))).toBe(true);
  expect(lockParents.knows(session, name(199))).toBe(false);
});

test('a path without new contenders for half a minute is likely to be gone, and is made again', async () => {
  const { clock, lockParents, session } = parents();
  lockParents.remember(session, name(1));
  await clock.run(29_000);
  expect(lockParents.knows(session, name(1))).toBe(true);
  await clock.run(1_000);
  expect(lockParents.knows(session, name(1))).toBe(false);
  lockParents.remember(session, name(1));
  expect(lockParents.knows(session, name(1))).toBe(true);
});

test.each(['CONNECTION_LOSS', 'THROTTLED_OP', 'SESSION_MOVED'] as const)(
  'the removal of an unused path is repeated after %s',
  async (code) => {
    const { clock, client, lockParents, session } = parents();
    await lockParents.make(client, name(1), {});
    client.failures.push(new ZooKeeperError(code, 'once'), new ZooKeeperError(code, 'twice'));
    const removed = lockParents.abandon(session, name(1), Promise.resolve('absent'));
    await clock.run(2_000);
    await removed;
    expect(client.nodes.has(name(1))).toBe(false);
  },
);

test('the removal of an unused path ends when the server refuses it for good', async () => {
  const { client, lockParents, session } = parents();
  await lockParents.make(client, name(1), {});
  client.failures.push(new ZooKeeperError('NO_AUTH', 'refused'));
  await lockParents.abandon(session, name(1), Promise.resolve('absent'));
  expect(client.nodes.has(name(1))).toBe(true);
});

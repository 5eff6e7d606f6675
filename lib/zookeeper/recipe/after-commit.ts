import type { RequestBounds, ZooKeeperClient } from '../client/zookeeper-client.interface.js';

/**
 * Reads after a committed write, and sends both requests together. A lagging follower answers reads from an older state, but this
 * one only after it has applied everything that was committed before the call.
 */
export async function afterCommit<T>(
  client: ZooKeeperClient,
  read: () => Promise<T>,
  bounds?: RequestBounds,
): Promise<T> {
  const [barrier, answer] = await Promise.allSettled([client.commit(bounds), read()]);
  if (barrier.status === 'rejected') throw barrier.reason;
  if (answer.status === 'rejected') throw answer.reason;
  return answer.value;
}

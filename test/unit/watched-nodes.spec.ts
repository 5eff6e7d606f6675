import { expect, test } from 'vitest';
import type { ZooKeeperClient } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { WatchedNodes } from '../../lib/zookeeper/recipe/watched-nodes.js';

/** The paths of each request for `count` watches on paths of `length` characters. */
function requestsFor(count: number, length: number): string[][] {
  const requests: string[][] = [];
  const client: Pick<ZooKeeperClient, 'watchNodes'> = {
    watchNodes: async (listeners) => void requests.push([...listeners.keys()]),
  };
  const paths = Array.from({ length: count }, (_, index) => `/${index}`.padEnd(length, '-'));
  const nodes = new WatchedNodes(client as ZooKeeperClient, () => {});
  expect(nodes.watch(paths, {})).toHaveLength(requests.length);
  expect(requests.flat()).toEqual(paths);
  return requests;
}

test.each([
  [3, 80, 1],
  [40, 80, 2],
  [1_000, 80, 46],
  [5, 1_000, 5],
  [2, 3_000, 2],
  [0, 80, 0],
])(
  '%i watches on paths of %i bytes take %i requests, none of which looks too large',
  (count, length, expected) => {
    const requests = requestsFor(count, length);
    expect(requests).toHaveLength(expected);
    for (const paths of requests) expect(paths.length === 1 || paths.join('').length < 2_000).toBe(true);
  },
);

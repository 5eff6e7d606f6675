import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import { OPEN_ACL } from '../../lib/zookeeper/protocol/acl.js';
import type { Created } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { EPHEMERAL_SEQUENTIAL, openClient, PERSISTENT, type TestClient } from './client-harness.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

let roots = 0;
let root: string;
beforeEach(() => {
  root = `/group-${(roots += 1)}`;
});

/** Makes the root and so many paths under it. */
async function makePaths({ client }: TestClient, count: number): Promise<readonly string[]> {
  const paths = Array.from({ length: count }, (_, number) => `${root}/${number}`);
  await client.create(root, PERSISTENT);
  await Promise.all(paths.map((path) => client.create(path, PERSISTENT)));
  return paths;
}

function join({ client }: TestClient, path: string, abort?: LazyAbort): Promise<Created> {
  return client.create(`${path}/c-`, {
    ...EPHEMERAL_SEQUENTIAL,
    grouped: true,
    lane: path,
    abort,
  });
}

function leave({ client }: TestClient, path: string, node: string): Promise<void> {
  return client.delete(node, { grouped: true, lane: path });
}

async function zxid(): Promise<number> {
  return Number(/^Zxid: (.*)$/m.exec(await server.fourLetter('srvr'))?.[1]);
}

describe('creates and deletes that leave at once', () => {
  test('are one transaction, whose number each create gets, and lists behind them have the nodes', async () => {
    await using opened = await openClient(server);
    const { client } = opened;
    const paths = await makePaths(opened, 30);
    const before = await zxid();
    const pairs = paths.map((path) =>
      Promise.all([join(opened, path), client.getChildren(path, { lane: path })]),
    );
    const joined = await Promise.all(pairs);

    expect(await zxid()).toBe(before + 1);
    for (const [index, [{ path, czxid }, children]] of joined.entries()) {
      expect(await client.exists(path)).toMatchObject({ czxid, ephemeralOwner: client.sessionId });
      expect(children).toEqual([path.slice(paths[index]!.length + 1)]);
    }
    await Promise.all(joined.map(([{ path }], index) => leave(opened, paths[index]!, path)));
    expect(await zxid()).toBe(before + 2);
    expect(await client.getChildren(paths[0]!)).toEqual([]);
  });

  test('are several transactions if they are more than 32', async () => {
    await using opened = await openClient(server);
    const paths = await makePaths(opened, 34);
    const before = await zxid();
    await Promise.all(paths.map((path) => join(opened, path)));
    expect(await zxid()).toBe(before + 2);
  });

  test('are several transactions if they have more than 256 KiB', async () => {
    await using opened = await openClient(server);
    const { client } = opened;
    const paths = await makePaths(opened, 5);
    const before = await zxid();
    const data = Buffer.alloc(100 * 1024);
    const creates = paths.map((path) =>
      client.create(`${path}/c-`, { ...EPHEMERAL_SEQUENTIAL, data, grouped: true, lane: path }),
    );
    await Promise.all(creates);
    expect(await zxid()).toBe(before + 3);
  });

  test('begin with the most urgent ones, also in one lane', async () => {
    await using proxy = await FaultProxy.start(server);
    await using opened = await openClient(proxy);
    const { client } = opened;
    const [first, second] = (await makePaths(opened, 2)) as [string, string];
    const held = await join(opened, first);
    const before = await zxid();
    const joining = [join(opened, second), join(opened, first)] as const;
    const released = client.delete(held.path, { grouped: true, lane: first, priority: 'grant' });
    const [other, next] = await Promise.all(joining);
    await released;

    expect(await zxid()).toBe(before + 1);
    expect([proxy.count('multi'), proxy.count('delete')]).toEqual([1, 0]);
    expect([other.czxid, next]).toEqual([
      BigInt(before + 1),
      { path: `${first}/c-0000000001`, czxid: BigInt(before + 1) },
    ]);
    expect(await client.getChildren(first)).toEqual(['c-0000000001']);
  });

  test('do not hold up a release by a create that others may be ahead of', async () => {
    await using opened = await openClient(server);
    const { client } = opened;
    const [path] = (await makePaths(opened, 1)) as [string];
    const held = await join(opened, path);
    const before = await zxid();
    const options = { ...EPHEMERAL_SEQUENTIAL, mode: 'ephemeral', grouped: true } as const;
    const creating = client.create(`${root}/simple`, { ...options, lane: `${root}/simple` });
    await client.delete(held.path, { grouped: true, lane: path, priority: 'grant' });
    expect(await creating).toMatchObject({ czxid: BigInt(before + 2) });
  });

  test('do not overtake what is more urgent and leaves alone', async () => {
    await using opened = await openClient(server);
    const { client } = opened;
    const [path, other] = (await makePaths(opened, 2)) as [string, string];
    const held = await join(opened, path);
    const before = await zxid();
    const joining = join(opened, other);
    const released = client.delete(held.path, { grouped: true, lane: path, priority: 'grant' });
    expect(await client.getChildren(other, { lane: other, priority: 'grant' })).toEqual([]);
    expect((await joining).czxid).toBe(BigInt(before + 2));
    await released;
  });

  test('do not include one that is aborted before it leaves', async () => {
    await using opened = await openClient(server);
    const [first, second, third] = (await makePaths(opened, 3)) as [string, string, string];
    const abort = new LazyAbort();
    const aborted = join(opened, second, abort);
    const others = [join(opened, first), join(opened, third)];
    abort.abort(new Error('left'));
    await expect(aborted).rejects.toThrow('left');
    await Promise.all(others);
    expect(await opened.client.getChildren(second)).toEqual([]);
  });
});

test('two creates of one lane are never in one transaction: they would have one number', async () => {
  await using opened = await openClient(server);
  const paths = await makePaths(opened, 3);
  const before = await zxid();
  const created = await Promise.all([...paths, ...paths].map((path) => join(opened, path)));
  expect(await zxid()).toBe(before + 2);
  for (const index of paths.keys()) {
    expect(created[index]!.czxid).toBeLessThan(created[index + paths.length]!.czxid);
  }
});

test('one change alone is not a transaction', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const [path] = (await makePaths(opened, 1)) as [string];
  await leave(opened, path, (await join(opened, path)).path);
  expect([proxy.count('multi'), proxy.count('delete')]).toEqual([0, 1]);
});

describe('if one of them is refused', () => {
  test('the others are executed once, and each gets its own answer', async () => {
    await using opened = await openClient(server);
    const { client } = opened;
    const paths = await makePaths(opened, 8);
    const gone = await join(opened, paths[7]!);
    await client.delete(gone.path);
    const sent: string[] = [];
    const create = (path: string, acl = OPEN_ACL) =>
      client.create(`${path}/c-`, {
        ...EPHEMERAL_SEQUENTIAL,
        acl,
        grouped: true,
        lane: path,
        sent: () => sent.push(path),
      });
    const outcomes = await Promise.allSettled([
      create(paths[0]!),
      create(`${root}/missing`),
      create(paths[1]!, []),
      leave(opened, paths[7]!, gone.path),
      create(paths[2]!),
    ]);

    expect(outcomes).toMatchObject([
      { value: { path: `${paths[0]}/c-0000000000` } },
      { reason: { code: 'NO_NODE', path: `${root}/missing/c-`, mayHaveBeenApplied: false } },
      { reason: { code: 'INVALID_ACL', path: `${paths[1]}/c-`, mayHaveBeenApplied: false } },
      { reason: { code: 'NO_NODE', path: gone.path, mayHaveBeenApplied: false } },
      { value: { path: `${paths[2]}/c-0000000000` } },
    ]);
    expect(sent).toEqual([paths[0], `${root}/missing`, paths[1], paths[2]]);
    expect(await client.getChildren(paths[0]!)).toHaveLength(1);
    expect(await client.getChildren(paths[1]!)).toEqual([]);
    expect(await client.getChildren(paths[2]!)).toHaveLength(1);
  });

  test('one that is aborted meanwhile is not sent again', async () => {
    await using proxy = await FaultProxy.start(server);
    await using opened = await openClient(proxy);
    const [path] = (await makePaths(opened, 1)) as [string];
    const reply = proxy.once('multi', 'holdReply');
    const abort = new LazyAbort();
    const aborted = join(opened, path, abort);
    const refused = join(opened, `${root}/missing`);
    await reply.held;
    abort.abort(new Error('left'));
    await expect(aborted).rejects.toThrow('left');
    reply.release();

    await expect(refused).rejects.toMatchObject({ code: 'NO_NODE' });
    expect(await opened.client.getChildren(path)).toEqual([]);
  });
});

test.each(['cutBeforeForward', 'forwardThenCutBeforeReply'] as const)(
  'if the connection ends before the reply (%s), each change may have been executed',
  async (action) => {
    await using proxy = await FaultProxy.start(server);
    await using opened = await openClient(proxy);
    const paths = await makePaths(opened, 3);
    proxy.once('multi', action);
    const ends = await Promise.allSettled(paths.map((path) => join(opened, path)));
    expect(ends).toMatchObject(
      paths.map((path) => ({
        reason: { code: 'CONNECTION_LOSS', path: `${path}/c-`, mayHaveBeenApplied: true },
      })),
    );
    const expected = action === 'cutBeforeForward' ? 0 : 1;
    for (const path of paths) expect(await childrenOf(path)).toHaveLength(expected);
  },
);

/** As another client sees them. */
async function childrenOf(path: string): Promise<readonly string[]> {
  await using observer = await openClient(server);
  await observer.client.commit();
  return observer.client.getChildren(path);
}

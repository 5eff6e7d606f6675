import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import { hasCode } from '../../lib/zookeeper/client/zookeeper-error.js';
import { OPEN_ACL } from '../../lib/zookeeper/protocol/acl.js';
import { ObservedAbort } from '../fixtures/observed-abort.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { EPHEMERAL, EPHEMERAL_SEQUENTIAL, openClient, PERSISTENT } from './client-harness.js';
import { reply, ScriptedServer } from './scripted-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

test('create answers the real path and the transaction, in every mode', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  const parent = await client.create('/modes', { mode: 'container', acl: OPEN_ACL });
  expect(parent.path).toBe('/modes');
  expect(await client.exists('/modes')).toMatchObject({ ephemeralOwner: 0n, czxid: parent.czxid });
  const data = Buffer.from('abc');
  const child = await client.create('/modes/c-', { ...EPHEMERAL_SEQUENTIAL, data });
  expect(child.path).toBe('/modes/c-0000000000');
  expect(child.czxid > parent.czxid).toBe(true);
  expect(await client.getData(child.path)).toMatchObject({
    data,
    stat: { ephemeralOwner: client.sessionId, czxid: child.czxid },
  });
  const next = await client.create('/modes/p-', { ...PERSISTENT, mode: 'persistent-sequential' });
  expect(next.path).toBe('/modes/p-0000000001');
  expect(await client.exists(next.path)).toMatchObject({ ephemeralOwner: 0n, czxid: next.czxid });
  expect(await client.create('/modes/e', EPHEMERAL)).toMatchObject({ path: '/modes/e' });
  expect((await client.getChildren('/modes')).toSorted()).toEqual(['c-0000000000', 'e', 'p-0000000001']);
});

test('reads, writes and deletes', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  await client.create('/a', PERSISTENT);
  expect(await client.getData('/a')).toMatchObject({ data: Buffer.alloc(0) });
  expect(await client.exists('/a')).toMatchObject({ version: 0, dataLength: 0 });
  await client.delete('/a');
  expect(await client.exists('/a')).toBeNull();
});

test('lists that have not been sent share one request, which leaves behind the last call, unless the order matters', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client } = opened;
  const asked = async (isShared: boolean): Promise<string[]> => {
    const before = proxy.frames.length;
    await Promise.all([client.getChildren('/', { isShared }), client.getData('/'), client.getChildren('/')]);
    const requests = proxy.frames.slice(before).filter(({ direction }) => direction === 'request');
    return requests.map(({ type }) => type);
  };
  expect(await asked(true)).toEqual(['getData', 'getChildren2']);
  expect(await asked(false)).toEqual(['getChildren2', 'getData', 'getChildren2']);
});

test('data are changed only if nobody has changed them since they were read', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  const path = '/changed';
  await client.create(path, { ...PERSISTENT, data: Buffer.from('0') });
  expect(await client.setData(path, Buffer.from('1'), 0)).toMatchObject({ version: 1, dataLength: 1 });
  const late = client.setData(path, Buffer.from('2'), 0);
  await expect(late).rejects.toSatisfy((error) => hasCode(error, 'BAD_VERSION'));
  expect(await client.getData(path)).toMatchObject({ data: Buffer.from('1'), stat: { version: 1 } });
  const missing = client.setData('/missing', Buffer.from('2'), 0);
  await expect(missing).rejects.toSatisfy((error) => hasCode(error, 'NO_NODE'));
});

test('commit creates and changes no node, but is committed', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  const zxid = async (): Promise<number> =>
    Number(/^Zxid: (.*)$/m.exec(await server.fourLetter('srvr'))?.[1]);
  const [before, root] = [await zxid(), await client.exists('/')];
  await client.commit();
  expect(await zxid()).toBe(before + 1);
  expect(await client.exists('/')).toEqual(root);
});

test('a create and a list sent back to back are answered in order, and the list has the child', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  await client.create('/order', PERSISTENT);
  for (let pair = 0; pair < 300; pair += 1) {
    const order: string[] = [];
    const created = client.create('/order/c-', EPHEMERAL_SEQUENTIAL);
    const listed = client.getChildren('/order');
    void created.then(() => order.push('created'));
    void listed.then(() => order.push('listed'));
    const [{ path }, children] = await Promise.all([created, listed]);
    expect(children).toContain(path.slice('/order/'.length));
    expect(order).toEqual(['created', 'listed']);
    await client.delete(path);
  }
});

test('a transaction creates nodes with data, and changes data, or does neither', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  const path = '/written';
  const write = (text: string) => ({ op: 'setData', path, data: Buffer.from(text) }) as const;
  const refused = client.transact([write('0'), { op: 'create', path, ...PERSISTENT }]);
  await expect(refused).rejects.toMatchObject({ code: 'NO_NODE', step: 0 });
  await client.transact([{ op: 'create', path, ...PERSISTENT, data: Buffer.from('1') }, write('2')]);
  expect(await client.getData(path)).toMatchObject({ data: Buffer.from('2'), stat: { version: 1 } });
  const undone = client.transact([write('3'), { op: 'check', path: '/missing' }]);
  await expect(undone).rejects.toMatchObject({ code: 'NO_NODE', step: 1, path: '/missing' });
  expect(await client.getData(path)).toMatchObject({ data: Buffer.from('2') });
});

test('requests are sent in the order of the calls, however they are built', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client } = opened;
  await Promise.allSettled([
    client.getData('/x'),
    client.commit(),
    client.create('/x', EPHEMERAL),
    client.exists('/x'),
    client.delete('/x'),
    client.getChildren('/'),
  ]);
  const sent = proxy.frames.filter(({ direction }) => direction === 'request').slice(1);
  expect(sent.map(({ type }) => type)).toEqual([
    'getData',
    'multi',
    'create2',
    'exists',
    'delete',
    'getChildren2',
  ]);
  expect(sent.map(({ xid }) => xid)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('requests of one turn are sent in one write', async () => {
  const chunks: number[] = [];
  const replies: Buffer[] = [];
  await using scripted = await ScriptedServer.start({
    // The replies are sent in one write too: the kernel may deliver several writes at different times.
    request: (peer, { xid }) => {
      replies.push(reply(xid));
      if (xid % 50 === 0) peer.send(...replies.splice(0));
    },
  });
  await using opened = await openClient(scripted);
  scripted.observe((chunk) => chunks.push(chunk.length));
  await Promise.all(Array.from({ length: 50 }, () => opened.client.delete('/x')));
  expect(chunks).toEqual([50 * (4 + 8 + 4 + '/x'.length + 4)]);
  // This includes requests sent by continuations of replies, as many waiters do.
  const second = Array.from({ length: 50 }, async () => {
    await opened.client.delete('/x');
    await opened.client.delete('/x');
  });
  await Promise.all(second);
  expect(chunks).toHaveLength(3);
});

test('`sent` is called when the socket has the bytes of the request, and before the reply', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const held = proxy.once('delete', 'holdRequest');
  const log: string[] = [];
  const deleting = opened.client
    .delete('/nowhere', { sent: () => log.push('sent') })
    .catch((error: unknown) => log.push(hasCode(error, 'NO_NODE') ? 'answered' : String(error)));

  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
  expect(log).toEqual([]);
  await held.held;
  expect(log).toEqual(['sent']);
  held.release();
  await deleting;
  expect(log).toEqual(['sent', 'answered']);
});

test('`sent` is never called without a connection', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  proxy.refuse();
  await opened.listener.heard('disconnected');
  let sent = false;
  const refused = opened.client.commit({ sent: () => (sent = true) });

  await expect(refused).rejects.toMatchObject({ code: 'CONNECTION_LOSS' });
  expect(sent).toBe(false);
});

test('transaction ids start again long before they would overflow', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy, { initialXid: 0x7ffffff0 - 3 });
  const { client } = opened;
  await client.create('/wrap', PERSISTENT);
  await Promise.all(Array.from({ length: 6 }, () => client.create('/wrap/c-', EPHEMERAL_SEQUENTIAL)));
  await client.commit();
  const sent = proxy.frames.filter(({ direction }) => direction === 'request').slice(1);
  expect(sent.map(({ xid }) => xid)).toEqual([0x7fffffed, 0x7fffffee, 0x7fffffef, 1, 2, 3, 4, 5]);
  expect(await client.getChildren('/wrap')).toHaveLength(6);
  expect(opened.listener.log).toEqual(['connected']);
});

test('requests and replies can be split into single bytes', async () => {
  await using proxy = await FaultProxy.start(server);
  proxy.resegment(1);
  await using opened = await openClient(proxy, {
    auth: [{ scheme: 'digest', credential: Buffer.from('a:b') }],
  });
  const { client } = opened;
  const data = Buffer.alloc(300, 7);
  const created = client.create('/bytes', { ...PERSISTENT, data });
  const read = client.getData('/bytes');
  expect(await created).toMatchObject({ path: '/bytes' });
  expect(await read).toMatchObject({ data });
  await client.commit();
  expect(opened.listener.log).toEqual(['connected']);
});

describe('arguments for which ZooKeeper would send an error or close the connection are refused by the client', () => {
  const BAD = { code: 'BAD_ARGUMENTS', mayHaveBeenApplied: false };
  test.each(['', 'x', '/x/', '//x', '/x/../y', '/.'])('the path %j', async (path) => {
    await using opened = await openClient(server);
    const { client, listener } = opened;
    await expect(client.create(path, PERSISTENT)).rejects.toMatchObject({ ...BAD, path });
    await expect(client.delete(path)).rejects.toMatchObject(BAD);
    await expect(client.exists(path)).rejects.toMatchObject(BAD);
    await expect(client.getData(path)).rejects.toMatchObject(BAD);
    await expect(client.getChildren(path)).rejects.toMatchObject(BAD);
    await client.commit();
    expect(listener.log).toEqual(['connected']);
  });

  test('more than 1 MiB of data', async () => {
    await using opened = await openClient(server);
    const data = Buffer.alloc(1024 * 1024 + 1);
    await expect(opened.client.create('/x', { ...PERSISTENT, data })).rejects.toMatchObject(BAD);
  });
});

describe('the bounds of a request', () => {
  test('an abort ends the wait with its own reason, and the request may be executed', async () => {
    await using proxy = await FaultProxy.start(server);
    await using opened = await openClient(proxy);
    const { client } = opened;
    const held = proxy.once('create2', 'holdReply');
    const abort = new LazyAbort();
    const created = client.create('/aborted', { ...EPHEMERAL, abort });
    await held.held;
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(created).rejects.toBe(reason);
    held.release();
    expect(await client.exists('/aborted')).not.toBeNull();
  });

  test('with an abort that has happened, nothing is sent', async () => {
    await using proxy = await FaultProxy.start(server);
    await using opened = await openClient(proxy);
    const { client } = opened;
    const abort = new LazyAbort();
    abort.abort('because');
    await expect(client.create('/x', { ...EPHEMERAL, abort })).rejects.toBe('because');
    await expect(client.commit({ abort })).rejects.toBe('because');
    await client.commit();
    expect(proxy.count('create2') + proxy.count('multi')).toBe(1);
  });

  test('one abort for many requests keeps no callback, however they end (H47)', async () => {
    await using proxy = await FaultProxy.start(server);
    await using opened = await openClient(proxy);
    const { client, listener } = opened;
    const abort = new ObservedAbort();
    await Promise.allSettled([client.commit({ abort }), client.getData('/none', { abort })]);
    await client.exists('bad path', { abort }).catch(() => {});
    expect(abort.subscribers).toBe(0);
    proxy.blackHole();
    const lost = client.commit({ abort });
    expect(abort.subscribers).toBe(1);
    client.dropConnection(new Error('test'));
    await lost.catch(() => {});
    await client.commit({ abort }).catch(() => {});
    expect(abort.subscribers).toBe(0);
    proxy.heal();
    await listener.heard('connected', 2);
  });
});

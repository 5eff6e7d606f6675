import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { openClient, PERSISTENT, RecordingWatch } from './client-harness.js';
import { notification, reply, ScriptedServer, writeStat } from './scripted-server.js';

const NO_NODE = -101;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

/** The watches of a closed connection disappear when the server has noticed the close. */
const noWatches = (): Promise<unknown> =>
  eventually(async () => (await server.fourLetter('wchs')).includes('Total watches:0'), {
    describe: 'a server without watches',
  });
beforeEach(noWatches);

async function changeData(path: string): Promise<void> {
  await using other = await RawSession.connect(server);
  await other.setData(path, Buffer.from('1'));
}

test('every kind of change is notified once', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  const watch = async (read: 'exists' | 'getData' | 'getChildren', change: () => Promise<unknown>) => {
    const recorded = new RecordingWatch();
    await client[read]('/told', { watch: recorded.listener });
    await change();
    const event = await recorded.fired();
    await client.commit();
    expect(recorded.events).toHaveLength(1);
    return event;
  };
  expect(await watch('exists', () => client.create('/told', PERSISTENT))).toEqual({
    type: 'created',
    path: '/told',
  });
  expect(await watch('getData', () => changeData('/told'))).toMatchObject({
    type: 'dataChanged',
  });
  expect(await watch('getChildren', () => client.create('/told/child', PERSISTENT))).toMatchObject({
    type: 'childrenChanged',
  });
  expect(await watch('getChildren', () => client.delete('/told/child'))).toMatchObject({
    type: 'childrenChanged',
  });
  expect(await watch('getData', () => client.delete('/told'))).toMatchObject({ type: 'deleted' });
  await noWatches();
});

test('a deletion is notified to data watches and to child watches', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  const [data, children] = [new RecordingWatch(), new RecordingWatch()];
  await client.create('/both', PERSISTENT);
  await client.getData('/both', { watch: data.listener });
  await client.getChildren('/both', { watch: children.listener });
  await client.delete('/both');
  expect(await data.fired()).toMatchObject({ type: 'deleted' });
  expect(await children.fired()).toMatchObject({ type: 'deleted' });
});

test('many listeners share one watch on the server, and each is notified once', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  await client.create('/shared', PERSISTENT);
  const watches = Array.from({ length: 50 }, () => new RecordingWatch());
  await Promise.all(watches.map(({ listener }) => client.getData('/shared', { watch: listener })));
  await client.exists('/shared', { watch: watches[0]!.listener });
  expect(await server.fourLetter('wchs')).toContain('Total watches:1');
  await changeData('/shared');
  await Promise.all(watches.map((watch) => watch.fired()));
  await changeData('/shared');
  await client.commit();
  expect(watches.map(({ types }) => types)).toEqual(watches.map(() => ['dataChanged']));
});

test('only the last removeWatch removes the watch from the server (H15)', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client } = opened;
  await client.create('/removed', PERSISTENT);
  const watches = Array.from({ length: 3 }, () => new RecordingWatch());
  await Promise.all(watches.map(({ listener }) => client.getData('/removed', { watch: listener })));
  for (const { listener } of watches.slice(1)) client.removeWatch('/removed', 'data', listener);
  await client.commit();
  expect(proxy.count('removeWatches')).toBe(0);
  client.removeWatch('/removed', 'data', watches[0]!.listener);
  client.removeWatch('/removed', 'data', watches[0]!.listener);
  await client.commit();
  expect(proxy.count('removeWatches')).toBe(1);
  await noWatches();
  await client.delete('/removed');
  await client.commit();
  expect(watches.flatMap(({ types }) => types)).toEqual([]);
});

test('the kinds of watch on one path are removed separately', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  const [data, children] = [new RecordingWatch(), new RecordingWatch()];
  await client.create('/apart', PERSISTENT);
  await client.getData('/apart', { watch: data.listener });
  await client.getChildren('/apart', { watch: children.listener });
  client.removeWatch('/apart', 'children', children.listener);
  await client.commit();
  expect(await server.fourLetter('wchs')).toContain('Total watches:1');
  await client.create('/apart/child', PERSISTENT);
  await changeData('/apart');
  expect(await data.fired()).toMatchObject({ type: 'dataChanged' });
  expect(children.types).toEqual([]);
});

test('a watch is not removed while another read of the path is in flight, nor after it', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  await client.create('/raced', PERSISTENT);
  const [first, second, third] = [new RecordingWatch(), new RecordingWatch(), new RecordingWatch()];
  await client.getData('/raced', { watch: first.listener });
  const reading = client.getData('/raced', { watch: second.listener });
  client.removeWatch('/raced', 'data', first.listener);
  await reading;
  // And in the other order: removed first, read again at once.
  client.removeWatch('/raced', 'data', second.listener);
  await client.getData('/raced', { watch: third.listener });
  await changeData('/raced');
  expect(await third.fired()).toMatchObject({ type: 'dataChanged' });
  expect([...first.types, ...second.types]).toEqual([]);
  await noWatches();
});

test('an aborted read with a watch leaves no watch, whenever its reply arrives', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client } = opened;
  await client.create('/abandoned', PERSISTENT);
  const watch = new RecordingWatch();
  const held = proxy.once('getData', 'holdReply');
  const abort = new LazyAbort();
  const aborted = [1, 2].map(() => client.getData('/abandoned', { watch: watch.listener, abort }));
  await held.held;
  abort.abort(new Error('enough'));
  for (const read of aborted) await expect(read).rejects.toThrow('enough');
  expect(await server.fourLetter('wchs')).toContain('Total watches:1');
  held.release();
  await client.commit();
  await noWatches();
  await changeData('/abandoned');
  await client.commit();
  expect(watch.types).toEqual([]);
});

test('one request watches many nodes, each for its own listener', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client } = opened;
  const watches = Array.from({ length: 3 }, () => new RecordingWatch());
  await Promise.all(watches.map((_, i) => client.create(`/many-${i}`, PERSISTENT)));
  await client.watchNodes(new Map(watches.map(({ listener }, i) => [`/many-${i}`, listener])));
  expect(proxy.count('setWatches')).toBe(1);
  expect(await server.fourLetter('wchs')).toContain('Total watches:3');
  await client.delete('/many-0');
  await changeData('/many-1');
  client.removeWatch('/many-2', 'data', watches[2]!.listener);
  await client.commit();
  expect(watches.map(({ types }) => types)).toEqual([['deleted'], ['dataChanged'], []]);
  await noWatches();
});

test('a node that is missing, or has changed unnoticed, is notified before the reply, and has no watch', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  await client.create('/unnoticed', PERSISTENT);
  const [missing, changed] = [new RecordingWatch(), new RecordingWatch()];
  await changeData('/unnoticed');
  await client.watchNodes(
    new Map([
      ['/never', missing.listener],
      ['/unnoticed', changed.listener],
    ]),
  );
  expect([...missing.types, ...changed.types]).toEqual(['deleted', 'dataChanged']);
  await noWatches();
  await client.create('/never', PERSISTENT);
  await changeData('/unnoticed');
  await client.commit();
  expect([...missing.types, ...changed.types]).toEqual(['deleted', 'dataChanged']);
});

test('a request for watches that nobody waits for any more leaves none', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client } = opened;
  await client.create('/given-up', PERSISTENT);
  const watch = new RecordingWatch();
  const listeners = new Map([['/given-up', watch.listener]]);
  const unsent = new LazyAbort();
  const never = client.watchNodes(listeners, { abort: unsent });
  unsent.abort(new Error('at once'));
  await expect(never).rejects.toThrow('at once');
  const held = proxy.once('setWatches', 'holdReply');
  const sent = new LazyAbort();
  const aborted = client.watchNodes(listeners, { abort: sent });
  await held.held;
  sent.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  expect(await server.fourLetter('wchs')).toContain('Total watches:1');
  held.release();
  await client.commit();
  await noWatches();
  expect(proxy.count('setWatches')).toBe(1);
  expect(watch.types).toEqual([]);
});

test('a request for watches fails with its connection, and for a path that no node can have', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client } = opened;
  const [first, second] = [new RecordingWatch(), new RecordingWatch()];
  const bad = new Map([
    ['/good', first.listener],
    ['bad', second.listener],
  ]);
  await expect(client.watchNodes(bad)).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' });
  proxy.once('setWatches', 'cutBeforeForward');
  await expect(client.watchNodes(new Map([['/good', first.listener]]))).rejects.toMatchObject({
    code: 'CONNECTION_LOSS',
  });
  expect([...first.types, ...second.types]).toEqual([]);
  await noWatches();
});

test('an aborted read does not remove the watch of another read by the same listener', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  await client.create('/twice', PERSISTENT);
  const watch = new RecordingWatch();
  const abort = new LazyAbort();
  const reads = [
    client.getData('/twice', { watch: watch.listener, abort }),
    client.getData('/twice', { watch: watch.listener }),
  ];
  abort.abort(new Error('enough'));
  await Promise.allSettled(reads);
  await changeData('/twice');
  await watch.fired();
  await client.commit();
  expect(watch.types).toEqual(['dataChanged']);
});

test('a read that fails sets no watch', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  const watch = new RecordingWatch();
  await expect(client.getData('/none', { watch: watch.listener })).rejects.toMatchObject({ code: 'NO_NODE' });
  await expect(client.getChildren('/none', { watch: watch.listener })).rejects.toMatchObject({
    code: 'NO_NODE',
  });
  await expect(client.getData('none', { watch: watch.listener })).rejects.toMatchObject({
    code: 'BAD_ARGUMENTS',
  });
  await client.create('/none', PERSISTENT);
  await client.commit();
  expect(watch.types).toEqual([]);
  await noWatches();
});

test('the end of the connection is notified to each listener once, and a later removeWatch has no effect', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client, listener } = opened;
  const [first, second] = [new RecordingWatch(), new RecordingWatch()];
  await client.exists('/lost', { watch: first.listener });
  await client.getChildren('/', { watch: second.listener });
  proxy.cutAll();
  await listener.heard('connected', 2);
  expect(first.events).toEqual([{ type: 'disconnected', path: '/lost' }]);
  expect(second.events).toEqual([{ type: 'disconnected', path: '/' }]);
  client.removeWatch('/lost', 'data', first.listener);
  await client.create('/lost', PERSISTENT);
  await client.commit();
  expect(proxy.count('removeWatches')).toBe(0);
  expect(first.events).toHaveLength(1);
});

test('an event in the same segment as the reply is notified after the read has resolved (H28)', async () => {
  await using scripted = await ScriptedServer.start({
    request: (peer, { xid }) =>
      peer.send(
        reply(xid, { payload: (writer) => writeStat(writer.buffer(Buffer.alloc(0))) }),
        notification(2, '/p'),
      ),
  });
  await using opened = await openClient(scripted);
  const order: string[] = [];
  const read = opened.client.getData('/p', { watch: ({ type }) => void order.push(type) });
  await read.then(() => order.push('read'));
  await eventually(() => order.length === 2);
  expect(order).toEqual(['read', 'deleted']);
});

test('an event that arrives before the reply is notified', async () => {
  const types: number[] = [];
  await using scripted = await ScriptedServer.start({
    request: (peer, { xid, type }) => {
      types.push(type);
      if (type === 3) peer.send(notification(1, '/p'), reply(xid, { err: NO_NODE }));
      else peer.send(reply(xid));
    },
  });
  await using opened = await openClient(scripted);
  const watch = new RecordingWatch();
  expect(await opened.client.exists('/p', { watch: watch.listener })).toBeNull();
  expect(await watch.fired()).toEqual({ type: 'created', path: '/p' });
  // The watch that the reply may have set has no listener any more.
  await opened.client.delete('/x');
  expect(types).toEqual([3, 18, 2]);
});

test('the removal of a watch that is already gone is not an error', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  await using raw = await RawSession.connect(server);
  const { client } = opened;
  await client.create('/gone', PERSISTENT);
  const watch = new RecordingWatch();
  await client.getData('/gone', { watch: watch.listener });
  proxy.holdNotifications();
  await raw.setData('/gone', Buffer.from('1'));
  client.removeWatch('/gone', 'data', watch.listener);
  await client.commit();
  const removal = proxy.frames.find(
    ({ type, direction }) => type === 'removeWatches' && direction === 'reply',
  );
  expect(removal?.error).toBe(-121);
  proxy.releaseNotifications();
  await client.commit();
  expect(watch.types).toEqual([]);
});

test('a thousand abandoned watches on one node leave at most one on the server, and none at the end', async () => {
  await using opened = await openClient(server);
  const { client } = opened;
  await client.create('/crowd', PERSISTENT);
  for (let round = 0; round < 20; round += 1) {
    const watches = Array.from({ length: 50 }, () => new RecordingWatch());
    await Promise.all(watches.map(({ listener }) => client.getData('/crowd', { watch: listener })));
    expect(await server.fourLetter('wchs')).toContain('Total watches:1');
    for (const { listener } of watches) client.removeWatch('/crowd', 'data', listener);
  }
  await client.commit();
  await noWatches();
});

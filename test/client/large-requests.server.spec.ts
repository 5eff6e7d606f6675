import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { FaultProxy, type FaultAction } from '../support/fault-proxy.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { openClient, PERSISTENT, type TestClient } from './client-harness.js';

const LARGE = { ...PERSISTENT, data: Buffer.alloc(2_000) };
const LOST = { code: 'CONNECTION_LOSS', mayHaveBeenApplied: true };
const REFUSED = { code: 'REQUEST_TOO_LARGE', mayHaveBeenApplied: false, recoverable: false };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

/** Twice, the connection ends instead of an answer to a large create, and is replaced. */
async function loseTwice(
  { client, listener }: TestClient,
  proxy: FaultProxy,
  action: FaultAction,
): Promise<void> {
  for (const connection of [2, 3]) {
    proxy.once('create2', action);
    await expect(client.create('/large', LARGE)).rejects.toMatchObject(LOST);
    await listener.heard('connected', connection);
  }
}

test.each<FaultAction>(['cutBeforeForward', 'rst'])(
  'a request that twice ended the connection (%s) is not sent a third time, and smaller ones still are',
  async (action) => {
    await using proxy = await FaultProxy.start(server);
    await using opened = await openClient(proxy);
    const { client, listener } = opened;
    await loseTwice(opened, proxy, action);
    const sent = proxy.count('create2');
    await expect(client.create('/large', LARGE)).rejects.toMatchObject(REFUSED);
    await expect(client.create('/larger', LARGE)).rejects.toMatchObject(REFUSED);
    expect(proxy.count('create2')).toBe(sent);
    expect(await client.exists('/large')).toBeNull();
    await client.commit();
    expect(listener.connections).toHaveLength(3);
  },
);

test('a request that was refused is sent again after a session timeout, and then without limit', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy, { sessionTimeout: 3_000 });
  const { client } = opened;
  await loseTwice(opened, proxy, 'cutBeforeForward');
  await eventually(async () => {
    await client.commit();
    return client.create('/again', LARGE);
  });
  await loseNothing(opened, proxy);
});

test('a request of a size that was answered once is sent without limit', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  await opened.client.create('/before', LARGE);
  await loseNothing(opened, proxy);
});

async function loseNothing(opened: TestClient, proxy: FaultProxy): Promise<void> {
  const { client, listener } = opened;
  for (let cuts = 0; cuts < 4; cuts += 1) {
    const connections = listener.connections.length;
    proxy.once('create2', 'cutBeforeForward');
    await expect(client.create('/much', LARGE)).rejects.toMatchObject(LOST);
    await listener.heard('connected', connections + 1);
  }
  await client.create('/much', LARGE);
  await client.delete('/much');
}

test('connections ended by the client are not counted against the size of a request', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client, listener } = opened;
  for (const connection of [2, 3, 4]) {
    const dropped = proxy.once('create2', 'dropRequest');
    const lost = expect(client.create('/dropped', LARGE)).rejects.toMatchObject(LOST);
    await dropped.fired;
    client.dropConnection(new Error('test'));
    await lost;
    await listener.heard('connected', connection);
  }
  await client.create('/dropped', LARGE);
});

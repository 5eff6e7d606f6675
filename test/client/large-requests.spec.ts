import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { FaultProxy, type FaultAction } from '../support/fault-proxy.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { openDriver, PERSISTENT, type TestDriver } from './client-harness.js';

const LARGE = { ...PERSISTENT, data: Buffer.alloc(2_000) };
const LOST = { code: 'CONNECTION_LOSS', mayHaveBeenApplied: true };
const REFUSED = { code: 'REQUEST_TOO_LARGE', mayHaveBeenApplied: false, recoverable: false };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** The connection ends twice in place of an answer to a large create, and is replaced. */
async function loseTwice(
  { driver, listener }: TestDriver,
  proxy: FaultProxy,
  action: FaultAction,
): Promise<void> {
  for (const connection of [2, 3]) {
    proxy.once('create2', action);
    await expect(driver.create('/large', LARGE)).rejects.toMatchObject(LOST);
    await listener.heard('connected', connection);
  }
}

test.each<FaultAction>(['cutBeforeForward', 'rst'])(
  'a request that twice ended the connection (%s) is not sent a third time, and all others are',
  async (action) => {
    await using proxy = await FaultProxy.start(server);
    await using opened = await openDriver(proxy);
    const { driver, listener } = opened;
    await loseTwice(opened, proxy, action);
    const sent = proxy.count('create2');
    await expect(driver.create('/large', LARGE)).rejects.toMatchObject(REFUSED);
    await expect(driver.create('/larger', LARGE)).rejects.toMatchObject(REFUSED);
    expect(proxy.count('create2')).toBe(sent);
    expect(await driver.exists('/large')).toBeNull();
    await driver.commit();
    expect(listener.connections).toHaveLength(3);
  },
);

test('a request that was refused is sent again after a session timeout, and then as often as one likes', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openDriver(proxy, { sessionTimeout: 3_000 });
  const { driver } = opened;
  await loseTwice(opened, proxy, 'cutBeforeForward');
  await eventually(async () => {
    await driver.commit();
    return driver.create('/again', LARGE);
  });
  await loseNothing(opened, proxy);
});

test('a request of a size that was answered once is sent for as long as its caller tries', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openDriver(proxy);
  await opened.driver.create('/before', LARGE);
  await loseNothing(opened, proxy);
});

async function loseNothing(opened: TestDriver, proxy: FaultProxy): Promise<void> {
  const { driver, listener } = opened;
  for (let cuts = 0; cuts < 4; cuts += 1) {
    const connections = listener.connections.length;
    proxy.once('create2', 'cutBeforeForward');
    await expect(driver.create('/much', LARGE)).rejects.toMatchObject(LOST);
    await listener.heard('connected', connections + 1);
  }
  await driver.create('/much', LARGE);
  await driver.delete('/much');
}

test('connections that we end ourselves say nothing about the size of a request', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openDriver(proxy);
  const { driver, listener } = opened;
  for (const connection of [2, 3, 4]) {
    const dropped = proxy.once('create2', 'dropRequest');
    const lost = expect(driver.create('/dropped', LARGE)).rejects.toMatchObject(LOST);
    await dropped.fired;
    driver.dropConnection(new Error('test'));
    await lost;
    await listener.heard('connected', connection);
  }
  await driver.create('/dropped', LARGE);
});

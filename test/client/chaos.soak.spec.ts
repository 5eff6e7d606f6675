import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasCode } from '../../lib/zookeeper/client/zookeeper-error.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { EPHEMERAL_SEQUENTIAL, openClient, PERSISTENT } from './client-harness.js';

const FAULTS = 40;
const WORKERS = 20;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

test('whatever the network does, every request ends once, no watch is forgotten and the session survives', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy, { reconnectDelay: () => 5 });
  const { client, listener } = opened;
  const { sessionId } = client;
  await client.create('/chaos', PERSISTENT);
  let over = false;
  let settled = 0;
  const unexpected: unknown[] = [];
  const watches = { set: 0, notified: 0 };

  const attempt = async <T>(request: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await request();
    } catch (error) {
      if (!hasCode(error, 'CONNECTION_LOSS', 'NO_NODE')) unexpected.push(error);
      return undefined;
    } finally {
      settled += 1;
    }
  };

  /** Creates, lists, watches and deletes a node of this worker, repeatedly. */
  const work = async (): Promise<void> => {
    while (!over) {
      const [created, children] = await Promise.all([
        attempt(() => client.create('/chaos/c-', EPHEMERAL_SEQUENTIAL)),
        attempt(() => client.getChildren('/chaos')),
      ]);
      if (created && children && !children.includes(created.path.slice('/chaos/'.length)))
        unexpected.push(created);
      if (created === undefined) continue;
      let notified = (): void => {};
      const gone = new Promise<void>((resolve) => (notified = resolve));
      const read = await attempt(() =>
        client.getData(created.path, {
          watch: () => {
            watches.notified += 1;
            notified();
          },
        }),
      );
      watches.set += read === undefined ? 0 : 1;
      await attempt(() => client.delete(created.path));
      if (read !== undefined) await gone;
    }
  };

  /** Does what the session layer does: ends a connection that swallows everything. */
  const beat = async (): Promise<void> => {
    while (!over) {
      const silence = setTimeout(() => client.dropConnection(new Error('silence')), 150);
      await client.commit().catch(() => {});
      clearTimeout(silence);
      await sleep(10);
    }
  };

  const faults: (() => unknown)[] = [
    () => proxy.cutAll(),
    () => proxy.resetAll(),
    () => proxy.cutReplyAfterBytes(1 + Math.floor(Math.random() * 100)),
    () => proxy.once('create2', 'forwardThenCutBeforeReply'),
    () => proxy.once('connect', 'forwardThenCutBeforeReply'),
    () => proxy.once('delete', 'cutBeforeForward'),
    () => proxy.resegment(1 + Math.floor(Math.random() * 7)),
    () => proxy.resegment(Number.POSITIVE_INFINITY),
    async () => {
      proxy.refuse();
      await sleep(20);
      await proxy.accept();
    },
    async () => {
      proxy.blackHole();
      await sleep(100);
      proxy.heal();
    },
  ];

  const running = [beat(), ...Array.from({ length: WORKERS }, work)];
  for (let fault = 0; fault < FAULTS; fault += 1) {
    // Each fault needs a connection: reconnections that end at once are spaced out.
    await eventually(() => client.connected, { describe: 'a connection', intervalMs: 5 });
    await faults[fault % faults.length]!();
    await sleep(20 + Math.random() * 60);
  }
  proxy.resegment(Number.POSITIVE_INFINITY);
  over = true;
  await Promise.all(running);

  expect(unexpected).toEqual([]);
  expect(settled).toBeGreaterThan(WORKERS * 10);
  // A read may fail after its event was delivered, but a successful read always has its event.
  expect(watches.notified).toBeGreaterThanOrEqual(watches.set);
  expect(new Set(listener.connections.map((connection) => connection.sessionId))).toEqual(
    new Set([sessionId]),
  );
  expect(listener.connections.length).toBeGreaterThan(10);
  const grammar = listener.log.map((entry) => entry[0]).join('');
  expect(grammar).toMatch(/^(cd)*c?$/);
  await client.close(10_000);
  await using raw = await RawSession.connect(server);
  expect(await raw.getChildren('/chaos')).toEqual([]);
  // The watches of cut connections disappear when the server has noticed the cut.
  await eventually(async () => expect(await server.fourLetter('wchs')).toContain('Total watches:0'));
});

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { ACL, createClient, Id, Permission } from 'node-zookeeper-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Acl } from '../../lib/zookeeper/protocol/acl.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { prepareClient, openClient, PERSISTENT } from './client-harness.js';
import { reply, ScriptedServer } from './scripted-server.js';

type SetAcl = (path: string, acls: ACL[], callback: (error: Error | null) => void) => void;

const ALICE = { scheme: 'digest', credential: Buffer.from('alice:secret') };
const BOB = { scheme: 'digest', credential: Buffer.from('bob:secret') };

function only(user: string): readonly Acl[] {
  const digest = createHash('sha1').update(`${user}:secret`).digest('base64');
  return [{ scheme: 'digest', id: `${user}:${digest}`, permissions: 31 }];
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

test('a request sent when the observer is notified of a connection has the permissions, on every connection', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = prepareClient(proxy, { auth: [ALICE, BOB] });
  const { client, listener } = opened;
  const reads: Promise<unknown>[] = [];
  const connected = listener.connected.bind(listener);
  listener.connected = (connection) => {
    connected(connection);
    if (reads.length === 0) reads.push(client.create('/alice', { mode: 'persistent', acl: only('alice') }));
    reads.push(client.getData('/alice'));
  };
  client.connect();
  await listener.heard('connected');
  await Promise.all(reads);
  proxy.cutAll();
  await listener.heard('connected', 2);
  await Promise.all(reads);
  expect(reads).toHaveLength(3);
});

test('no other client has the permissions', async () => {
  await using alice = await openClient(server, { auth: [ALICE] });
  await using nobody = await openClient(server);
  await alice.client.create('/private', { mode: 'persistent', acl: only('alice') });
  await expect(nobody.client.getData('/private')).rejects.toMatchObject({
    code: 'NO_AUTH',
    path: '/private',
  });
});

test('each connection sends each credential once, before anything else, however long the outage was', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy, { auth: [ALICE, BOB, ALICE] });
  const { client, listener } = opened;
  client.addAuth(BOB.scheme, BOB.credential);
  await client.commit();
  const before = proxy.frames.length;
  proxy.refuse();
  await listener.heard('disconnected');
  while (listener.failedAttempts.length < 5) await client.commit().catch(() => {});
  await proxy.accept();
  await listener.heard('connected', 2);
  await client.commit();
  const sent = proxy.frames.filter(({ direction }) => direction === 'request').map(({ type }) => type);
  expect(sent).toEqual(['connect', 'auth', 'auth', 'multi', 'connect', 'auth', 'auth', 'multi']);
  expect(before).toBe(8);
});

test('a credential added later applies to later requests, and after a reconnection', async () => {
  await using proxy = await FaultProxy.start(server);
  await using opened = await openClient(proxy);
  const { client, listener } = opened;
  const credential = Buffer.from(ALICE.credential);
  client.addAuth(ALICE.scheme, credential);
  credential.fill(0); // the caller may overwrite its secret
  await client.create('/later', { mode: 'persistent', acl: only('alice') });
  await client.getData('/later');
  proxy.cutAll();
  await listener.heard('connected', 2);
  await client.getData('/later');
});

test('a credential added during the handshake is sent with it', async () => {
  await using proxy = await FaultProxy.start(server);
  const held = proxy.once('connect', 'holdReply');
  await using opened = prepareClient(proxy);
  opened.client.connect();
  await held.held;
  opened.client.addAuth(ALICE.scheme, ALICE.credential);
  held.release();
  await opened.listener.heard('connected');
  expect(proxy.count('auth')).toBe(1);
  await opened.client.create('/during', { mode: 'persistent', acl: only('alice') });
  await opened.client.getData('/during');
});

test('a refused credential ends the client', async () => {
  await using opened = prepareClient(server, {
    auth: [{ scheme: 'nonsense', credential: Buffer.from('x') }],
  });
  const { client, listener } = opened;
  client.connect();
  await listener.heard('authenticationFailed');
  expect(listener.log).toEqual(['authenticationFailed']);
  await expect(client.create('/x', PERSISTENT)).rejects.toMatchObject({
    code: 'AUTH_FAILED',
    mayHaveBeenApplied: false,
  });
});

test('a credential refused later ends the client too, and requests in flight fail', async () => {
  await using scripted = await ScriptedServer.start({
    request: (peer, { xid }) => {
      if (xid === -4) peer.send(reply(-4, { err: -115 }));
    },
  });
  await using opened = await openClient(scripted);
  const { client, listener } = opened;
  const pending = client.commit();
  client.addAuth('digest', Buffer.from('x:y'));
  await expect(pending).rejects.toMatchObject({ code: 'CONNECTION_LOSS', mayHaveBeenApplied: true });
  await listener.heard('authenticationFailed');
  expect(listener.log).toEqual(['connected', 'disconnected', 'authenticationFailed']);
});

test('a server that requires a credential ends the client, which would otherwise reconnect indefinitely', async () => {
  await using scripted = await ScriptedServer.start({
    request: (peer, { xid }) => {
      peer.send(reply(xid, { err: -124 }));
      peer.cut();
    },
  });
  await using opened = await openClient(scripted);
  await expect(opened.client.commit()).rejects.toMatchObject({ code: 'CONNECTION_LOSS' });
  await opened.listener.heard('authenticationFailed');
  await expect(opened.client.commit()).rejects.toMatchObject({ code: 'AUTH_FAILED' });
  expect(opened.listener.log).toEqual(['connected', 'disconnected', 'authenticationFailed']);
});

test('any other error for a credential ends only the connection', async () => {
  await using scripted = await ScriptedServer.start({
    request: (peer, { xid }) => peer.send(reply(xid, { err: peer.number === 1 ? -127 : 0 })),
  });
  await using opened = prepareClient(scripted, { auth: [ALICE] });
  opened.client.connect();
  await opened.listener.heard('connected');
  expect(scripted.accepted).toBe(2);
});

test('commit is committed even without permission to read the root', async () => {
  await using opened = await openClient(server);
  const zxid = async (): Promise<number> =>
    Number(/^Zxid: (.*)$/m.exec(await server.fourLetter('srvr'))?.[1]);
  await restrictRoot(Permission.ALL & ~Permission.READ);
  await expect(opened.client.getChildren('/')).rejects.toMatchObject({ code: 'NO_AUTH' });
  const before = await zxid();
  for (let commits = 0; commits < 10; commits += 1) await opened.client.commit();
  expect((await zxid()) - before).toBeGreaterThanOrEqual(10);
  await restrictRoot(Permission.ALL);
});

/** Uses the package's own client, which has this request and suffices on a healthy connection. */
async function restrictRoot(permissions: number): Promise<void> {
  const client = createClient(server.connectString);
  client.connect();
  const rules = [new ACL(permissions, new Id('world', 'anyone'))];
  await promisify(client.setACL.bind(client) as SetAcl)('/', rules);
  client.close();
}

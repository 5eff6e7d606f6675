import { createServer, connect, type Server } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServerList, type Lookup } from '../../lib/zookeeper/client/server-list.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { prepareClient, openClient } from './client-harness.js';

describe('a list of servers', () => {
  const addresses = (list: ServerList): string[] => {
    const found: string[] = [];
    for (let next = list.next(); next !== undefined; next = list.next())
      found.push(`${next.address} ${next.port}`);
    return found;
  };

  test('has one entry for each address of a name, IPv4 and IPv6', async () => {
    const lookup: Lookup = (name) =>
      Promise.resolve(name === 'zk' ? ['10.0.0.1', '10.0.0.2', '2001:db8::1'] : ['10.0.0.2']);
    const servers = [
      { host: 'zk', port: 2181 },
      { host: 'alias', port: 2181 },
      { host: '10.0.0.1', port: 2182 },
    ];
    const list = new ServerList(servers, { lookup });
    await list.refresh();
    list.startRound();
    expect(addresses(list).sort()).toEqual([
      '10.0.0.1 2181',
      '10.0.0.1 2182',
      '10.0.0.2 2181',
      '2001:db8::1 2181',
    ]);
    expect(list.next()).toBeUndefined();
  });

  test('keeps the name for the check of the certificate, but no name for an address', async () => {
    const servers = [
      { host: 'zk', port: 2181 },
      { host: '::1', port: 2181 },
    ];
    const list = new ServerList(servers, { lookup: () => Promise.resolve(['10.0.0.1']) });
    await list.refresh();
    list.startRound();
    expect([list.next(), list.next()]).toEqual(
      expect.arrayContaining([
        { address: '10.0.0.1', port: 2181, name: 'zk' },
        { address: '::1', port: 2181 },
      ]),
    );
  });

  test('is shuffled, evenly', () => {
    const servers = [1, 2, 3].map((port) => ({ host: '10.0.0.1', port }));
    const seen = new Map<string, number>();
    for (let round = 0; round < 3_000; round += 1) {
      const list = new ServerList(servers);
      list.startRound();
      const order = addresses(list).join();
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    expect(seen.size).toBe(6);
    for (const count of seen.values()) expect(count).toBeGreaterThan(300);
  });

  test('begins each round with a server other than the last one used', () => {
    const servers = [1, 2, 3].map((port) => ({ host: '10.0.0.1', port }));
    const list = new ServerList(servers);
    for (let round = 0; round < 100; round += 1) {
      list.startRound();
      const used = list.next();
      list.startRound();
      const next = [list.next(), list.next(), list.next()];
      expect(next[0]).not.toEqual(used);
      expect(next[2]).toEqual(used);
    }
  });

  test('is resolved again for every round, and keeps the known addresses of a name whose lookup fails', async () => {
    let answer: () => Promise<string[]> = () => Promise.resolve(['10.0.0.1']);
    const list = new ServerList([{ host: 'zk', port: 2181 }], { lookup: () => answer() });
    await list.refresh();
    list.startRound();
    expect(addresses(list)).toEqual(['10.0.0.1 2181']);
    answer = () => Promise.resolve(['10.0.0.9']);
    await list.refresh();
    list.startRound();
    expect(addresses(list)).toEqual(['10.0.0.9 2181']);
    answer = () => Promise.reject(new Error('no DNS'));
    await list.refresh();
    list.startRound();
    expect(addresses(list)).toEqual(['10.0.0.9 2181']);
    expect(list.lookupFailure?.message).toBe('the host name zk could not be looked up (no DNS)');
  });

  test('has one lookup per name in flight, even if two servers share the name and rounds continue while the resolver hangs', async () => {
    const lookups: ((addresses: string[]) => void)[] = [];
    const lookup: Lookup = () => new Promise((resolve) => void lookups.push(resolve));
    const servers = [2181, 2182].map((port) => ({ host: 'zk', port }));
    const list = new ServerList(servers, { lookup });
    const refreshed = [1, 2, 3].map(() => list.refresh());
    expect(lookups).toHaveLength(1);
    expect(list.lookupFailure?.message).toBe('the host name zk could not be looked up (no answer yet)');
    lookups[0]?.(['10.0.0.1']);
    await Promise.all(refreshed);
    list.startRound();
    expect(addresses(list).sort()).toEqual(['10.0.0.1 2181', '10.0.0.1 2182']);
    void list.refresh();
    expect(lookups).toHaveLength(2);
  });

  test('never replaces the answer of the newest lookup with a late answer of an older one', async () => {
    const answers: ((addresses: string[]) => void)[] = [];
    const lookup: Lookup = () => new Promise((resolve) => void answers.push(resolve));
    const list = new ServerList([{ host: 'zk', port: 2181 }], { lookup });
    const refreshed = [list.refresh(), list.refresh()];
    const newest = answers.length;
    for (let number = newest; number > 0; number -= 1) answers[number - 1]?.([`10.0.0.${number}`]);
    await Promise.all(refreshed);
    list.startRound();
    expect(addresses(list)).toEqual([`10.0.0.${newest} 2181`]);
  });

  test.each([
    { byName: true, names: ['zk-0', 'zk-1', 'zk-2'] },
    { byName: false, names: ['zk-2'] },
  ])('dials an address under each of its names if the names matter: $byName', async ({ byName, names }) => {
    const servers = ['zk-0', 'zk-1', 'zk-2'].map((host) => ({ host, port: 443 }));
    const list = new ServerList(servers, { lookup: () => Promise.resolve(['10.0.0.9']), byName });
    await list.refresh();
    for (let round = 0; round < 2; round += 1) {
      list.startRound();
      const dialled = servers.flatMap(() => list.next() ?? []);
      expect(dialled.map(({ name = '' }) => name).toSorted()).toEqual(names);
    }
  });

  test('reports a name without addresses', async () => {
    const list = new ServerList([{ host: 'zk', port: 2181 }], { lookup: () => Promise.resolve([]) });
    await list.refresh();
    expect(list.lookupFailure?.message).toBe('the host name zk could not be looked up (it has no addresses)');
  });

  test('waits only once for a lookup that hangs, as long as there is any other address', async () => {
    const lookup: Lookup = () => new Promise(() => {});
    const servers = ['stuck', '10.0.0.1'].map((host) => ({ host, port: 2181 }));
    const list = new ServerList(servers, { lookup });
    let first = false;
    void list.refresh().then(() => (first = true));
    await list.refresh();
    expect(first).toBe(false);
    list.startRound();
    expect(addresses(list)).toEqual(['10.0.0.1 2181']);
  });

  test('counts the addresses of a round; a name counts as one until it is resolved', async () => {
    const servers = ['zk', '10.0.0.9'].map((host) => ({ host, port: 2181 }));
    const list = new ServerList(servers, { lookup: () => Promise.resolve(['10.0.0.1', '10.0.0.2']) });
    expect(list.size).toBe(2);
    await list.refresh();
    expect(list.size).toBe(3);
  });
});

describe('on a real server', () => {
  let server: TestServer;
  let forwarder: Server;
  beforeAll(async () => {
    server = await startTestServer();
    // The server listens on IPv4; the test shows that the client also tries the IPv6 address.
    forwarder = createServer((client) => {
      const target = connect({ host: server.host, port: server.port });
      client.pipe(target).pipe(client);
      client.on('error', () => target.destroy());
      target.on('error', () => client.destroy());
    });
    await once(forwarder.listen(0, '::1'), 'listening');
  });
  afterAll(async () => {
    forwarder.close();
    await server.giveBack();
  });

  const ipv6Port = (): number => (forwarder.address() as { port: number }).port;

  test('the one reachable address of a name is found', async () => {
    const lookup: Lookup = () => Promise.resolve(['127.0.0.2', '127.0.0.3', '127.0.0.1', '127.0.0.4']);
    const connectString = `zookeeper.example:${server.port}`;
    await using opened = await openClient({ connectString }, { lookup });
    expect(opened.listener.connections).toMatchObject([{ server: server.connectString }]);
    await opened.client.commit();
  });

  test('an IPv6 address is dialled', async () => {
    const connectString = `[::1]:${ipv6Port()}`;
    await using opened = await openClient({ connectString });
    expect(opened.listener.connections).toMatchObject([{ server: connectString }]);
    await opened.client.commit();
  });

  test('a name with addresses of both families is dialled on the one that answers', async () => {
    const connectString = `zookeeper.example:${ipv6Port()}`;
    // The servers of other tests may have this port on 127.0.0.1; nothing listens on 127.0.0.2.
    await using opened = await openClient(
      { connectString },
      { lookup: () => Promise.resolve(['127.0.0.2', '::1']) },
    );
    expect(opened.listener.connections).toMatchObject([{ server: `[::1]:${ipv6Port()}` }]);
  });

  test("the system's resolver is the default", async () => {
    await using opened = await openClient({ connectString: `localhost:${server.port}` });
    await opened.client.commit();
  });

  test('a name that cannot be resolved is a failed attempt in every round, until it can be resolved', async () => {
    let found: string[] | undefined;
    const lookup: Lookup = () => (found ? Promise.resolve(found) : Promise.reject(new Error('no DNS')));
    await using opened = prepareClient({ connectString: `zookeeper.example:${server.port}` }, { lookup });
    const { client, listener } = opened;
    client.connect();
    while (listener.failedAttempts.length < 3) await client.commit().catch(() => {});
    expect(listener.failedAttempts[2]).toMatchObject({
      server: 'zookeeper.example',
      cause: { message: 'the host name zookeeper.example could not be looked up (no DNS)' },
    });
    found = ['127.0.0.1'];
    await listener.heard('connected');
  });

  test('a name that cannot be resolved is reported even if there are other servers', async () => {
    const notFound = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const lookup: Lookup = () => Promise.reject(notFound);
    const connectString = `zk1.example:2181,zk2.example:2181,${server.connectString}`;
    await using opened = await openClient({ connectString }, { lookup });
    const message = 'the host names zk1.example (ENOTFOUND), zk2.example (ENOTFOUND) could not be looked up';
    expect(opened.listener.failedAttempts).toMatchObject([
      { server: 'zk1.example, zk2.example', cause: { message, cause: notFound } },
    ]);
  });

  test('a lookup that never ends delays the client no longer than a server that does not answer', async () => {
    const lookup: Lookup = () => new Promise(() => {});
    const connectString = `stuck.example:2181,${server.connectString}`;
    await using opened = await openClient({ connectString }, { lookup, sessionTimeout: 4_000 });
    await opened.client.commit();
  });

  test('with several servers the next connection goes to another one', async () => {
    const connectString = `${server.connectString},[::1]:${ipv6Port()}`;
    await using opened = await openClient({ connectString });
    const { client, listener } = opened;
    for (let loss = 1; loss <= 4; loss += 1) {
      client.dropConnection(new Error('test'));
      await listener.heard('connected', loss + 1);
    }
    const used = listener.connections.map((connection) => connection.server);
    for (const [index, name] of used.entries()) expect(name).not.toBe(used[index + 1]);
    expect(new Set(listener.connections.map(({ sessionId }) => sessionId)).size).toBe(1);
  });
});

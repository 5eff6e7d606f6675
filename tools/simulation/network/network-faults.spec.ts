import { describe, expect, it } from 'vitest';
import { Hosts } from './spec-hosts.js';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('a reset of all connections between two hosts', () => {
  it('reaches both ends, after what was in flight', async () => {
    const hosts = new Hosts();
    const { client } = await hosts.connected();
    hosts.toServer.splitChance = 0;
    hosts.client.run(() => {
      client.write(bytes('before'));
      hosts.network.reset('server', 'client');
      client.write(bytes('after'));
    });
    await hosts.finished();
    expect(hosts.seenBy('client')).toEqual(['read ECONNRESET', 'close']);
    expect(hosts.seenBy('server')).toEqual(['data before', 'read ECONNRESET', 'close']);
  });

  it('reaches an end behind a stalled direction when that is resumed', async () => {
    const hosts = new Hosts();
    await hosts.connected();
    hosts.toServer.stall();
    hosts.network.reset('client', 'server');
    hosts.at(1_000, () => {
      expect(hosts.seen).toEqual(['client read ECONNRESET', 'client close']);
      hosts.toServer.resume();
    });
    await hosts.finished();
    expect(hosts.seenBy('server')).toEqual(['read ECONNRESET', 'close']);
  });

  it('reaches it only when the last of several stalls has ended', async () => {
    const hosts = new Hosts();
    await hosts.connected();
    for (let stall = 0; stall < 2; stall += 1) hosts.toServer.stall();
    hosts.network.reset('client', 'server');
    hosts.at(1_000, () => hosts.toServer.resume());
    hosts.at(2_000, () => {
      expect(hosts.seenBy('server')).toEqual([]);
      hosts.toServer.resume();
    });
    await hosts.finished();
    expect(hosts.seenBy('server')).toEqual(['read ECONNRESET', 'close']);
  });

  it('spares a connect request that is still in flight', async () => {
    const hosts = new Hosts();
    hosts.listen();
    hosts.client.run(() => {
      hosts.connect();
      hosts.network.reset('client', 'server');
    });
    await hosts.finished();
    expect(hosts.seen).toEqual(['client opened', 'server accepted']);
    expect(hosts.network.connections).toBe(1);
  });

  it('spares the connections of other hosts', async () => {
    const hosts = new Hosts();
    const other = hosts.start('other');
    await hosts.connected();
    other.run(() => void hosts.connect(undefined, other));
    hosts.at(100, () => hosts.network.reset('client', 'server'));
    await hosts.finished();
    expect(hosts.seenBy('other')).toEqual(['opened']);
  });
});

it('a forgotten connection carries nothing, and tells nobody; new ones work', async () => {
  const hosts = new Hosts();
  const { client, server } = await hosts.connected();
  hosts.client.run(() => client.write(bytes('in flight')));
  hosts.at(hosts.scheduler.now, () => hosts.network.forget('server', 'client'));
  hosts.at(100, () => hosts.server.run(() => server.write(bytes('lost'))));
  hosts.at(200, () => hosts.client.run(() => void hosts.connect((socket) => socket.write(bytes('new')))));
  hosts.at(300, () => hosts.client.run(() => client.destroy()));
  await hosts.finished();
  expect(hosts.seenBy('client')).toEqual(['opened', 'close']);
  expect(
    hosts
      .seenBy('server')
      .filter((line) => line !== 'accepted')
      .join('')
      .replaceAll('data ', ''),
  ).toBe('new');
});

it('a cut lets so many bytes pass, and resets the connection in the middle of a frame', async () => {
  const hosts = new Hosts();
  const { client } = await hosts.connected();
  hosts.toServer.splitChance = 0;
  hosts.network.cutAfter('client', 'server', 7);
  for (const [index, text] of ['1234', '5678', '9'].entries()) {
    hosts.at(100 + 0.01 * index, () => hosts.client.run(() => client.write(bytes(text))));
  }
  await hosts.finished();
  expect(hosts.seenBy('server').slice(0, -2).join('').replaceAll('data ', '')).toBe('1234567');
  expect(hosts.seenBy('server').slice(-2)).toEqual(['read ECONNRESET', 'close']);
  expect(hosts.seenBy('client')).toEqual(['read ECONNRESET', 'close']);
});

it('a cut waits for data in its direction, and only one connection has it', async () => {
  const hosts = new Hosts();
  const { client, server } = await hosts.connected();
  hosts.toServer.splitChance = 0;
  hosts.network.cutAfter('client', 'server', 0);
  hosts.server.run(() => server.write(bytes('other direction')));
  hosts.at(100, () => hosts.client.run(() => client.write(bytes('lost'))));
  hosts.at(200, () => hosts.client.run(() => void hosts.connect((socket) => socket.write(bytes('passes')))));
  await hosts.finished();
  expect(hosts.seenBy('client').join(' ')).toContain('read ECONNRESET close opened');
  expect(hosts.seenBy('server').join(' ')).not.toContain('lost');
  expect(hosts.seenBy('server').at(-1)).toBe('data passes');
});

it('a swallowed end leaves the other end open', async () => {
  const hosts = new Hosts();
  const { client } = await hosts.connected();
  hosts.toServer.swallowsFin = true;
  hosts.client.run(() => client.destroy());
  await hosts.finished();
  expect(hosts.seen).toEqual(['client close']);
});

describe('a killed host', () => {
  it('runs no more code, and its connections end in one way or the other', async () => {
    const ways = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const hosts = new Hosts(`kill ${seed}`);
      const { client } = await hosts.connected();
      hosts.toServer.splitChance = 0;
      hosts.client.run(() => {
        client.write(bytes('last words'));
        client.once('data', () => expect.unreachable());
        hosts.client.kill();
      });
      await hosts.finished();
      expect(hosts.seenBy('client')).toEqual([]);
      expect(hosts.seenBy('server')[0]).toBe('data last words');
      ways.add(hosts.seenBy('server').slice(1).join(', '));
    }
    expect(ways).toEqual(new Set(['end, close', 'read ECONNRESET, close']));
  });

  it('sends nothing more, even if its last callback was descheduled before it sent that', async () => {
    const hosts = new Hosts();
    const { client } = await hosts.connected();
    hosts.toServer.splitChance = 0;
    const { now } = hosts.scheduler;
    hosts.client.stallWithin(300);
    hosts.client.run(() => {
      client.write(bytes('before'));
      hosts.client.clock.monotonic();
      client.write(bytes('after'));
    });
    hosts.at(now + 100, () => hosts.client.kill());
    await hosts.finished();
    expect(hosts.seenBy('server')[0]).toBe('data before');
    expect(hosts.seenBy('server').slice(1)).not.toContain('data after');
  });

  it('opens no connection, even if its last callback asks for one', async () => {
    const hosts = new Hosts();
    hosts.listen();
    hosts.client.run(() => {
      hosts.client.kill();
      hosts.connect();
    });
    await hosts.finished();
    expect(hosts.seen).toEqual([]);
    expect(hosts.network.connections).toBe(0);
  });

  it('resets connections whose data it has not read', async () => {
    for (let seed = 0; seed < 10; seed++) {
      const hosts = new Hosts(`unread ${seed}`);
      const { client } = await hosts.connected();
      hosts.server.pause();
      hosts.client.run(() => client.write(bytes('unread')));
      hosts.at(100, () => hosts.server.kill());
      await hosts.finished();
      expect(hosts.seen).toEqual(['client read ECONNRESET', 'client close']);
    }
  });
});

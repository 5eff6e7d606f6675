import { describe, expect, it } from 'vitest';
import { Hosts } from './spec-hosts.js';

describe('connecting', () => {
  it('takes a round trip, after which both ends know each other', async () => {
    const hosts = new Hosts();
    for (const direction of [hosts.toServer, hosts.toClient]) direction.latency = { min: 10, max: 11 };
    let remote: unknown;
    hosts.listen((socket) => (remote = [socket.remoteAddress, socket.remotePort]));
    hosts.client.run(() => {
      const socket = hosts.connect(() => {
        expect(hosts.scheduler.now).toBeGreaterThan(20);
        expect(hosts.scheduler.now).toBeLessThan(22.1);
      });
      expect([socket.remoteAddress, socket.remotePort]).toEqual(['192.168.0.1', 2181]);
      hosts.at(100, () => expect([socket.localAddress, socket.localPort]).toEqual(remote));
    });
    await hosts.finished();
    expect(hosts.seen).toEqual(['client opened', 'server accepted']);
  });

  it('is refused after a round trip if nobody listens', async () => {
    const hosts = new Hosts();
    hosts.client.run(() => void hosts.connect());
    await hosts.finished();
    expect(hosts.seen).toEqual(['client connect ECONNREFUSED', 'client close']);
    expect(hosts.scheduler.now).toBeGreaterThan(0.1);
  });

  it('is refused if the port was closed, its host was killed or a firewall rejects it', async () => {
    const ways = [
      (hosts: Hosts): void => hosts.listen().close(),
      (hosts: Hosts): void => {
        hosts.listen();
        hosts.server.kill();
      },
      (hosts: Hosts): void => {
        hosts.listen();
        hosts.toServer.refusesConnects = true;
      },
    ];
    for (const way of ways) {
      const hosts = new Hosts();
      way(hosts);
      hosts.client.run(() => void hosts.connect());
      await hosts.finished();
      expect(hosts.seen).toEqual(['client connect ECONNREFUSED', 'client close']);
    }
  });

  it('succeeds again after the host has started again', async () => {
    const hosts = new Hosts();
    hosts.listen();
    hosts.at(10, () => hosts.server.kill());
    hosts.at(20, () => void hosts.listen(undefined, hosts.start('server')));
    hosts.at(30, () => hosts.client.run(() => void hosts.connect()));
    await hosts.finished();
    expect(hosts.seen).toEqual(['client opened', 'server accepted']);
  });

  it('lasts until a stalled direction is resumed, whichever it is', async () => {
    for (const name of ['toServer', 'toClient'] as const) {
      const hosts = new Hosts();
      hosts.listen();
      hosts[name].stall();
      hosts.client.run(() => void hosts.connect());
      hosts.at(5_000, () => expect(hosts.seen).toEqual([]));
      hosts.at(10_000, () => hosts[name].resume());
      await hosts.finished();
      expect(hosts.seen).toEqual(['client opened', 'server accepted']);
    }
  });

  it('to a paused host succeeds, but nobody accepts before it is resumed', async () => {
    const hosts = new Hosts();
    hosts.listen();
    hosts.server.pause();
    hosts.client.run(() => void hosts.connect((socket) => socket.write(Buffer.from('hello'))));
    hosts.at(1_000, () => expect(hosts.seen).toEqual(['client opened']));
    hosts.at(2_000, () => hosts.server.resume());
    await hosts.finished();
    expect(hosts.seen).toEqual(['client opened', 'server accepted', 'server data hello']);
  });

  it('can be given up: the server never hears of it', async () => {
    const hosts = new Hosts();
    hosts.listen();
    hosts.client.run(() => {
      const socket = hosts.connect();
      hosts.client.clock.setTimer(() => socket.destroy(), 5);
    });
    hosts.toClient.stall();
    hosts.at(100, () => hosts.toClient.resume());
    await hosts.finished();
    expect(hosts.seen).toEqual(['client close']);
  });

  it('resets the connections that a closed port has not accepted', async () => {
    const hosts = new Hosts();
    const port = hosts.listen();
    hosts.server.pause();
    hosts.client.run(() => void hosts.connect());
    hosts.at(50, () => port.close());
    hosts.at(100, () => hosts.server.resume());
    await hosts.finished();
    expect(hosts.seen).toEqual(['client opened', 'client read ECONNRESET', 'client close']);
  });
});

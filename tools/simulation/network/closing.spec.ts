import { describe, expect, it } from 'vitest';
import { Hosts } from './spec-hosts.js';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('an end that closes', () => {
  it('before it was opened still sends what it has written', async () => {
    const hosts = new Hosts();
    hosts.toServer.splitChance = 0;
    hosts.listen();
    hosts.client.run(() => {
      const socket = hosts.connect();
      socket.write(bytes('early'));
      socket.destroySoon();
    });
    await hosts.finished();
    expect(hosts.seenBy('client')).toEqual(['close']);
    expect(hosts.seenBy('server')).toEqual(['accepted', 'data early', 'end', 'close']);
    expect(hosts.network.connections).toBe(0);
  });

  it('after its thread was descheduled is not closed before', async () => {
    const hosts = new Hosts();
    const { client, server } = await hosts.connected();
    hosts.server.stallWithin(300);
    hosts.server.run(() => {
      hosts.server.clock.monotonic();
      server.destroy();
    });
    hosts.at(100, () => hosts.client.run(() => client.write(bytes('meanwhile'))));
    hosts.at(290, () => expect(hosts.seen).toEqual([]));
    await hosts.finished();
    expect(hosts.seenBy('client')).toEqual(['end', 'close']);
  });

  it('is followed by what it has written, then by the end', async () => {
    for (const verb of ['destroy', 'destroySoon'] as const) {
      const hosts = new Hosts();
      const { client } = await hosts.connected();
      hosts.toServer.splitChance = 0;
      hosts.client.run(() => {
        client.write(bytes('last'));
        client[verb]();
      });
      await hosts.finished();
      expect(hosts.seenBy('client')).toEqual(['close']);
      expect(hosts.seenBy('server')).toEqual(['data last', 'end', 'close']);
    }
  });

  it('loses what is corked if it is destroyed at once, but not if it is destroyed soon', async () => {
    for (const verb of ['destroy', 'destroySoon'] as const) {
      const hosts = new Hosts();
      const { client } = await hosts.connected();
      hosts.toServer.splitChance = 0;
      hosts.client.run(() => {
        client.cork();
        client.write(bytes('corked'));
        client[verb]();
      });
      await hosts.finished();
      expect(hosts.seenBy('server')).toEqual([
        ...(verb === 'destroy' ? [] : ['data corked']),
        'end',
        'close',
      ]);
    }
  });

  it('emits nothing more but close, in a later turn', async () => {
    const hosts = new Hosts();
    const { client, server } = await hosts.connected();
    hosts.client.pause();
    hosts.server.run(() => {
      server.write(bytes('unread'));
      server.destroy();
    });
    hosts.at(100, () => hosts.client.resume());
    client.once('data', () => {
      client.destroy();
      hosts.note(hosts.client, 'destroyed');
      void Promise.resolve().then(() => hosts.note(hosts.client, 'microtask'));
    });
    await hosts.finished();
    expect(hosts.seenBy('client')).toEqual(['data unread', 'destroyed', 'microtask', 'close']);
  });

  it('answers data that still arrives with a reset', async () => {
    const hosts = new Hosts();
    const { client, server } = await hosts.connected();
    hosts.toClient.swallowsFin = true;
    hosts.server.run(() => server.destroy());
    hosts.at(100, () => hosts.client.run(() => client.write(bytes('too late'))));
    hosts.at(90, () => expect(hosts.seenBy('client')).toEqual([]));
    await hosts.finished();
    expect(hosts.seenBy('client')).toEqual(['read ECONNRESET', 'close']);
    expect(hosts.seenBy('server')).toEqual(['close']);
  });

  it('resets the connection if it has not read everything', async () => {
    const hosts = new Hosts();
    const { client, server } = await hosts.connected();
    // The data arrives before the thread comes to the callback.
    hosts.server.block(50);
    hosts.server.run(() => server.destroy());
    hosts.client.run(() => client.write(bytes('unread')));
    await hosts.finished();
    expect(hosts.seenBy('server')).toEqual(['close']);
    expect(hosts.seenBy('client')).toEqual(['read ECONNRESET', 'close']);
  });
});

import { describe, expect, it } from 'vitest';
import { Hosts } from './spec-hosts.js';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('data', () => {
  it('arrives in order in both directions, and is counted', async () => {
    const hosts = new Hosts();
    const { client, server } = await hosts.connected();
    server.on('data', (data: Buffer) => server.write(bytes(data.toString().toUpperCase())));
    for (const [index, word] of ['one', 'two', 'three'].entries()) {
      hosts.at(100 + index * 10, () => hosts.client.run(() => client.write(bytes(word))));
    }
    await hosts.finished();
    expect(
      hosts
        .seenBy('server')
        .join(' ')
        .replaceAll(/data| /g, ''),
    ).toBe('onetwothree');
    expect(
      hosts
        .seenBy('client')
        .join(' ')
        .replaceAll(/data| /g, ''),
    ).toBe('ONETWOTHREE');
    expect([client.bytesWritten, client.bytesRead, server.bytesWritten, server.bytesRead]).toEqual([
      11, 11, 11, 11,
    ]);
  });

  it('that was corked is sent as one', async () => {
    const hosts = new Hosts();
    const { client } = await hosts.connected();
    hosts.toServer.splitChance = 0;
    hosts.client.run(() => {
      client.cork();
      client.write(bytes('a'));
      client.write(bytes('b'));
      hosts.client.clock.setTimer(() => client.uncork(), 10);
    });
    await hosts.finished();
    expect(hosts.seen).toEqual(['server data ab']);
  });

  it('can arrive in two pieces', async () => {
    const hosts = new Hosts();
    const { client } = await hosts.connected();
    hosts.toServer.splitChance = 1;
    hosts.toServer.latency = { min: 0, max: 100 };
    for (let write = 0; write < 10; write++) {
      hosts.at(100 + 200 * write, () => hosts.client.run(() => client.write(bytes('0123456789'))));
    }
    await hosts.finished();
    expect(hosts.seen.length).toBeGreaterThan(10);
    expect(hosts.seenBy('server').join('').replaceAll('data ', '')).toBe('0123456789'.repeat(10));
  });

  it('that has piled up in front of a busy thread is read at once', async () => {
    const hosts = new Hosts();
    const { client } = await hosts.connected();
    hosts.server.block(1_000);
    for (const text of ['a', 'b', 'c']) hosts.client.run(() => client.write(bytes(text)));
    await hosts.finished();
    expect(hosts.seen).toEqual(['server data abc']);
  });
});

import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { DistantStore } from './distant-store.js';

it('has one address for each of the store, behind which everything arrives in order', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = `redis://127.0.0.1:${port},127.0.0.1:1/db`;
  const store = await DistantStore.start({
    address,
    totals: async () => ({ writes: 7 }),
    [Symbol.asyncDispose]: async () => void server.close(),
  });
  const [, first, second] = /^redis:\/\/127\.0\.0\.1:(\d+),127\.0\.0\.1:(\d+)\/db$/.exec(store.address)!;
  expect(new Set([first, second, String(port)]).size).toBe(3);
  expect(await store.totals()).toEqual({ writes: 7 });

  const client = connect(Number(first), '127.0.0.1');
  const words = Array.from({ length: 100 }, (_, n) => `${n} `);
  for (const word of words) client.write(word);
  let received = '';
  while (received.length < words.join('').length) received += String((await once(client, 'data'))[0]);
  expect(received).toBe(words.join(''));
  client.end();
  expect(await text(client)).toBe('');
  await store[Symbol.asyncDispose]();
});

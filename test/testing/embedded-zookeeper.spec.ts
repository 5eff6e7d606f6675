import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { RawSession } from '../support/raw-session.js';

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

test('serves sessions as soon as it has started', async () => {
  await using zookeeper = await EmbeddedZooKeeper.start({ onNotice: false });
  expect(zookeeper.connectString).toBe(`127.0.0.1:${zookeeper.port}`);
  await using session = await RawSession.connect(zookeeper, { sessionTimeout: 5_000 });
  expect(session.sessionTimeout).toBe(5_000);
  expect(zookeeper.sessions).toEqual([{ id: session.id, timeout: 5_000, connected: true }]);
});

test('gives one notice that it is not durable', async () => {
  const notices: string[] = [];
  await using zookeeper = await EmbeddedZooKeeper.start({ onNotice: (notice) => notices.push(notice) });
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain(zookeeper.connectString);
  expect(notices[0]).toContain('development and tests');
});

test('writes the notice to the console by default', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  try {
    await (await EmbeddedZooKeeper.start()).stop();
    expect(warn).toHaveBeenCalledOnce();
    await (await EmbeddedZooKeeper.start({ onNotice: false })).stop();
    expect(warn).toHaveBeenCalledOnce();
  } finally {
    warn.mockRestore();
  }
});

test('leaves no server behind if the notice cannot be given', async () => {
  const port = await freePort();
  const onNotice = () => {
    throw new Error('no console');
  };
  await expect(EmbeddedZooKeeper.start({ port, onNotice })).rejects.toThrow('no console');
  await (await EmbeddedZooKeeper.start({ port, onNotice: false })).stop();
});

test('several servers are independent', async () => {
  await using first = await EmbeddedZooKeeper.start({ onNotice: false });
  await using second = await EmbeddedZooKeeper.start({ onNotice: false });
  await using a = await RawSession.connect(first);
  await using b = await RawSession.connect(second);
  await a.create2('/only-here');
  expect(await b.exists('/only-here')).toBeNull();
});

test('rejects if the port is taken, and leaves nothing behind', async () => {
  await using zookeeper = await EmbeddedZooKeeper.start({ onNotice: false });
  await expect(EmbeddedZooKeeper.start({ port: zookeeper.port, onNotice: false })).rejects.toThrow(
    'EADDRINUSE',
  );
});

test('after stop the port is free, and all data are gone', async () => {
  const first = await EmbeddedZooKeeper.start({ port: await freePort(), onNotice: false });
  const session = await RawSession.connect(first);
  await session.create2('/forgotten');
  await first.stop();
  await first.stop();
  await using second = await EmbeddedZooKeeper.start({ port: first.port, onNotice: false });
  await expect(RawSession.connect(second, { session })).rejects.toThrow('the session has expired');
  await using other = await RawSession.connect(second);
  expect(await other.exists('/forgotten')).toBeNull();
});

test('stops while clients are connected, even silent ones and ones that read nothing', async () => {
  const zookeeper = await EmbeddedZooKeeper.start({ onNotice: false });
  const session = await RawSession.connect(zookeeper);
  const silent = await dial(zookeeper.port);
  const deaf = await dial(zookeeper.port);
  deaf.pause();
  await session.create2('/large', 'persistent', Buffer.alloc(1_000_000));
  // A handshake, then more large reads than fit into the buffers of two sockets.
  deaf.write(
    Buffer.from(`0000002d${'00'.repeat(12)}00007530${'00'.repeat(8)}00000010${'00'.repeat(17)}`, 'hex'),
  );
  const read = Buffer.from(
    '00000013000000010000000400000006' + Buffer.from('/large').toString('hex') + '00',
    'hex',
  );
  for (let count = 0; count < 50; count++) deaf.write(read);
  await eventually(() => zookeeper.requests.filter(({ operation }) => operation === 'getData').length === 50);
  await zookeeper.stop();
  await eventually(() => !session.connected);
  if (!silent.destroyed) await once(silent, 'close');
  deaf.destroy();
});

test('a silent connection without a session is closed', async () => {
  await using zookeeper = await EmbeddedZooKeeper.start({ time: 'manual', onNotice: false });
  const socket = await dial(zookeeper.port);
  const closed = once(socket, 'close');
  socket.resume();
  await zookeeper.advance(30_000);
  await closed;
});

test('the answer to a four-letter word closes the connection', async () => {
  await using zookeeper = await EmbeddedZooKeeper.start({ onNotice: false });
  const socket = await dial(zookeeper.port);
  socket.write('ru');
  socket.write('ok');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe('imok');
});

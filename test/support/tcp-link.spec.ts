import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { TcpLink } from './tcp-link.js';

/** Collects what a socket receives, and how it ends. */
class Peer {
  received = '';
  ended = false;
  failed = false;

  constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString()));
    socket.on('end', () => (this.ended = true));
    socket.on('error', () => (this.failed = true));
  }

  receives(text: string): Promise<unknown> {
    return eventually(() => this.received === text, { describe: `"${text}" to arrive` });
  }
}

async function nextConnection(of: Server): Promise<Peer> {
  return new Peer(await new Promise<Socket>((resolve) => of.once('connection', resolve)));
}

let server: Server;
let port: number;
let link: TcpLink;
let follower: Peer;
let leader: Peer;

beforeEach(async () => {
  port = await freePort();
  server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  link = await TcpLink.start({ host: '127.0.0.1', port });
  const accepted = nextConnection(server);
  follower = new Peer(connect(link.port, '127.0.0.1'));
  leader = await accepted;
});

afterEach(() => {
  link.stop();
  server.close();
});

test('a stalled direction holds bytes and FIN; the other direction does not', async () => {
  link.stall('toFollower');
  leader.socket.write('down');
  follower.socket.write('up');
  await leader.receives('up');
  leader.socket.end(' and end');
  follower.socket.write(', more');
  await leader.receives('up, more');
  expect(follower.received).toBe('');
  expect(follower.ended).toBe(false);
  link.heal('toFollower');
  await follower.receives('down and end');
  await eventually(() => follower.ended);
});

test('a reset caused by the open direction waits in the stalled direction', async () => {
  follower.socket.write('hello');
  await leader.receives('hello');
  link.stall('toFollower');
  leader.socket.resetAndDestroy();
  // The link notices the reset when it writes, at the second write at the latest.
  for (const text of ['one', 'two', 'three']) await new Promise((sent) => follower.socket.write(text, sent));
  expect(follower.failed).toBe(false);
  link.heal();
  await eventually(() => follower.failed, { describe: 'the reset to arrive' });
});

test('stall also applies to later connections, and heal without a direction heals both', async () => {
  link.stall('toFollower');
  link.stall('toLeader');
  const accepted = nextConnection(server);
  const late = new Peer(connect(link.port, '127.0.0.1'));
  const end = await accepted;
  late.socket.write('up');
  end.socket.write('down');
  link.heal();
  await Promise.all([end.receives('up'), late.receives('down')]);
});

test('a link that is healed before the leader can be reached loses no bytes of the follower', async () => {
  follower.socket.destroy();
  leader.socket.destroy();
  server.close();
  await once(server, 'close');
  link.stall('toLeader');
  const early = new Peer(connect(link.port, '127.0.0.1'));
  await once(early.socket, 'connect');
  await new Promise((sent) => early.socket.write('first', sent));
  // The arrival at the link is not observable, so the test waits for some turns of the event loop.
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  link.heal();
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  const accepted = nextConnection(server);
  server.listen(port, '127.0.0.1');
  const late = await accepted;
  await late.receives('first');
  late.socket.destroy();
});

test('waits for a leader that opens its port later', async () => {
  follower.socket.destroy();
  leader.socket.destroy();
  server.close();
  await once(server, 'close');
  const early = new Peer(connect(link.port, '127.0.0.1'));
  await once(early.socket, 'connect');
  const accepted = nextConnection(server);
  server.listen(port, '127.0.0.1');
  const late = await accepted;
  early.socket.write('found');
  await late.receives('found');
  late.socket.destroy();
});

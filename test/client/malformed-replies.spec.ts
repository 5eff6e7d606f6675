import { describe, expect, test } from 'vitest';
import type { NetworkClient } from '../../lib/zookeeper/client/network-client.js';
import { JuteWriter } from '../support/jute.js';
import {
  prepareClient,
  EPHEMERAL_SEQUENTIAL,
  openClient,
  PERSISTENT,
  RecordingWatch,
} from './client-harness.js';
import { connectResponse, notification, reply, ScriptedServer, writeStat } from './scripted-server.js';

const HTTP = Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
const TLS_ALERT = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x0a]);

const size = (bytes: number): Buffer =>
  Buffer.concat([new JuteWriter().int(bytes).frame().subarray(4), HTTP]);
const body = (xid: number, write: (writer: JuteWriter) => JuteWriter): Buffer =>
  reply(xid, { payload: write });

type Read = (client: NetworkClient) => Promise<unknown>;
const exists: Read = (client) => client.exists('/x');
const getData: Read = (client) => client.getData('/x');
const getChildren: Read = (client) => client.getChildren('/x');
const create: Read = (client) => client.create('/x', PERSISTENT);
const createSequential: Read = (client) => client.create('/x-', EPHEMERAL_SEQUENTIAL);
const commit: Read = (client) => client.commit();

const created =
  (path: string, czxid = 1n) =>
  (xid: number): Buffer =>
    body(xid, (writer) => writeStat(writer.string(path), { czxid }));
const children =
  (names: readonly string[], numChildren = names.length) =>
  (xid: number): Buffer =>
    body(xid, (writer) =>
      writeStat(
        names.reduce((list, name) => list.string(name), writer.int(names.length)),
        { numChildren },
      ),
    );

describe('a malformed reply drops the connection, and fails the requests in flight with the reason', () => {
  test.each<[what: string, message: string, read: Read, answer: (xid: number) => Buffer]>([
    ['a frame of size 0', 'got 0', exists, () => size(0)],
    ['a frame of size -1', 'got -1', exists, () => size(-1)],
    ['a frame of size -4', 'got -4', exists, () => size(-4)],
    ['a frame of 2 GiB', 'got 2147483647', exists, () => size(2 ** 31 - 1)],
    ['an HTTP answer', '"HTTP"): is this a ZooKeeper port?', exists, () => HTTP],
    ['a TLS alert', 'does this port expect TLS?', exists, () => TLS_ALERT],
    ['a short header', 'ends where 8 more', exists, (xid) => new JuteWriter().int(xid).int(0).frame()],
    ['a reply to a later request', 'Got a reply to request', exists, (xid) => reply(xid + 1)],
    ['a reply to an earlier request', 'Got a reply to request', exists, (xid) => reply(xid - 1)],
    ['a reply to SetWatches, never sent', 'Got a reply to request -8', exists, () => reply(-8)],
    ['a reply to a ping, never sent', 'Got a reply to request -2', exists, () => reply(-2)],
    ['a reply to a credential, never sent', 'credential', exists, () => reply(-4)],
    ['an unknown event', 'unknown type 9', exists, () => notification(9, '/x')],
    ['an event of the session', 'unknown type -1', exists, () => notification(-1, '/x')],
    ['an event without a path', 'does not begin with a slash', exists, () => notification(1, '')],
    ['a truncated stat', 'ends where 8 more', exists, (xid) => body(xid, (writer) => writer.long(1n).int(0))],
    ['no stat', 'ends where 8 more', exists, (xid) => reply(xid)],
    ['data of a negative length', 'length -2', getData, (xid) => body(xid, (writer) => writer.int(-2))],
    [
      'data longer than the frame',
      'ends where 999',
      getData,
      (xid) => body(xid, (writer) => writer.int(999)),
    ],
    ['a negative vector', 'length -5', getChildren, (xid) => body(xid, (writer) => writer.int(-5))],
    ['a huge vector', 'ends where', getChildren, (xid) => body(xid, (writer) => writer.int(2 ** 31 - 1))],
    [
      'a name of a negative length, which would walk backwards',
      'length -4',
      getChildren,
      (xid) => body(xid, (writer) => writeStat(writer.int(3).int(-4))),
    ],
    ['a path of a huge length', 'ends where', create, (xid) => body(xid, (writer) => writer.int(1_000_000))],
    ['no created path', 'the server created ""', create, (xid) => body(xid, (writer) => writer.int(-1))],
    ['the path of another node', 'Asked to create /x, the server created "/y"', create, created('/y')],
    ['a created path with a suffix', 'the server created "/x0"', create, created('/x0')],
    ['a number that is missing', 'the server created "/x-"', createSequential, created('/x-')],
    ['a number of letters', 'the server created "/x-1a"', createSequential, created('/x-1a')],
    ['a number and a child', 'the server created "/x-1/y"', createSequential, created('/x-1/y')],
    ['the root’s czxid', '/x was created by transaction 0', create, created('/x', 0n)],
    ['a negative czxid', '/x was created by transaction -1', create, created('/x', -1n)],
    ['a name twice', 'has 2 names, 1 of them different, of 2 children', getChildren, children(['a', 'a'])],
    ['too few names', 'has 1 names, 1 of them different, of 2 children', getChildren, children(['a'], 2)],
    [
      'too many names',
      'has 2 names, 2 of them different, of 1 children',
      getChildren,
      children(['a', 'b'], 1),
    ],
    ['an empty name', 'A child has the name ""', getChildren, children(['a', ''])],
    ['a path instead of a name', 'A child has the name "a/b"', getChildren, children(['a/b'])],
    ['dots instead of a name', 'A child has the name ".."', getChildren, children(['..'])],
    [
      'a name that is invalid UTF-8',
      'A string of 1 bytes in a reply is not UTF-8',
      getChildren,
      (xid) => body(xid, (writer) => writeStat(writer.int(1).buffer(Buffer.of(0xff)), { numChildren: 1 })),
    ],
    [
      'a transaction of other operations',
      'answered with type 7',
      commit,
      (xid) => body(xid, (writer) => writer.int(7).bool(false).int(0)),
    ],
    ['a transaction without an end', 'ends where', commit, (xid) => body(xid, (writer) => writer.int(13))],
  ])('%s', async (_what, message, read, answer) => {
    await using scripted = await ScriptedServer.start({
      request: (peer, { xid }) => peer.send(peer.number === 1 ? answer(xid) : reply(xid)),
    });
    await using opened = await openClient(scripted);
    const { client, listener } = opened;
    const [first, second] = await Promise.allSettled([read(client), client.delete('/behind')]);
    const failure = {
      status: 'rejected',
      reason: { code: 'CONNECTION_LOSS', mayHaveBeenApplied: true, cause: { name: 'ProtocolError' } },
    };
    expect([first, second]).toMatchObject([failure, failure]);
    expect(listener.causes).toMatchObject([
      { name: 'ProtocolError', message: expect.stringContaining(message) },
    ]);
    await listener.heard('connected', 2);
    await client.delete('/good');
  });

  test('replies before the malformed one in the same chunk are used, those after it are not', async () => {
    await using scripted = await ScriptedServer.start({
      request: (peer, { xid }) => {
        if (xid === 3) peer.send(reply(1), reply(2, { payload: writeStat }), size(0), reply(3));
      },
    });
    await using opened = await openClient(scripted);
    const { client } = opened;
    const requests = [client.delete('/1'), client.exists('/2'), client.delete('/3')];
    expect((await Promise.allSettled(requests)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
  });
});

describe('a malformed answer to the handshake is one failed attempt', () => {
  test.each<[what: string, message: string, answer: Buffer]>([
    ['empty', 'got 0', size(0)],
    ['short', 'ends where 8 more', new JuteWriter().int(0).int(20_000).frame()],
    ['without the password', 'ends where 4 more', new JuteWriter().int(0).int(20_000).long(5n).frame()],
    ['with too short a password', 'a password of 5 bytes', connectResponse({ password: Buffer.alloc(5) })],
    ['too large', 'ends where 4 more', size(17 * 1024 * 1024)],
    ['of a web server', 'is this a ZooKeeper port?', HTTP],
    ['of a TLS server', 'does this port expect TLS?', TLS_ALERT],
    ['with a session without an id', 'refused to open a session', connectResponse({ sessionId: 0n })],
  ])('%s', async (_what, message, answer) => {
    await using scripted = await ScriptedServer.start({
      connect: (peer) => peer.send(peer.number === 1 ? answer : connectResponse()),
    });
    await using opened = prepareClient(scripted);
    opened.client.connect();
    await opened.listener.heard('connected');
    expect(opened.listener.failedAttempts).toMatchObject([
      { cause: { name: 'ProtocolError', message: expect.stringContaining(message) } },
    ]);
  });
});

describe('a zxid', () => {
  test('of a malformed reply is not used as the last seen zxid', async () => {
    await using scripted = await ScriptedServer.start({
      request: (peer, { xid }) => peer.send(reply(xid, { zxid: 1n << 60n })),
    });
    await using opened = await openClient(scripted);
    await expect(opened.client.exists('/x')).rejects.toMatchObject({ code: 'CONNECTION_LOSS' });
    await opened.listener.heard('connected', 2);
    expect(scripted.connectRequests[1]).toMatchObject({ lastZxid: 0n });
  });
});

describe('a reply larger than the limit', () => {
  const LIMIT = 500;
  const large = (xid: number): Buffer =>
    body(xid, (writer) => writeStat(writer.buffer(Buffer.alloc(1_000, 0xff))));

  test('fails only its own request, however it is split into chunks', async () => {
    await using scripted = await ScriptedServer.start({
      request: (peer, { xid }) => {
        const bytes = xid === 1 ? large(xid) : reply(xid);
        for (let at = 0; at < bytes.length; at += 7) peer.send(bytes.subarray(at, at + 7));
      },
    });
    await using opened = await openClient(scripted, { maxFrameBytes: LIMIT });
    const { client, listener } = opened;
    const read = expect(client.getData('/x')).rejects.toMatchObject({
      code: 'REPLY_TOO_LARGE',
      message: 'REPLY_TOO_LARGE: The reply has 1088 bytes, more than this client reads (/x)',
      mayHaveBeenApplied: true,
    });
    await client.delete('/behind');
    await read;
    expect(listener.log).toEqual(['connected']);
  });

  test('still sets its watch', async () => {
    await using scripted = await ScriptedServer.start({
      request: (peer, { xid }) => {
        if (xid === 1) peer.send(large(xid));
        else peer.send(notification(2, '/x'), reply(xid));
      },
    });
    await using opened = await openClient(scripted, { maxFrameBytes: LIMIT });
    const watch = new RecordingWatch();
    await expect(opened.client.getData('/x', { watch: watch.listener })).rejects.toMatchObject({
      code: 'REPLY_TOO_LARGE',
    });
    await opened.client.delete('/y');
    expect(await watch.fired()).toMatchObject({ type: 'deleted', path: '/x' });
  });

  test('that answers no request, or is not a reply, drops the connection', async () => {
    await using scripted = await ScriptedServer.start({
      request: (peer, { xid }) =>
        peer.send([large(xid + 1), large(-1), size(256 * 1024 * 1024 + 1)][peer.number - 1] ?? reply(xid)),
    });
    await using opened = await openClient(scripted, { maxFrameBytes: LIMIT });
    for (const message of [
      'Got a reply to request',
      'ends where',
      'Expected a frame of 1 to 268435456 bytes',
    ]) {
      await expect(opened.client.exists('/x')).rejects.toMatchObject({
        code: 'CONNECTION_LOSS',
        cause: { message: expect.stringContaining(message) },
      });
      await opened.listener.heard('connected', opened.listener.connections.length + 1);
    }
  });

  test('is a matter of configuration', async () => {
    await using scripted = await ScriptedServer.start({
      request: (peer, { xid }) => peer.send(large(xid)),
    });
    await using small = await openClient(scripted, { maxFrameBytes: LIMIT });
    await expect(small.client.getData('/x')).rejects.toMatchObject({ code: 'REPLY_TOO_LARGE' });
    await using usual = await openClient(scripted);
    expect(await usual.client.getData('/x')).toMatchObject({ data: Buffer.alloc(1_000, 0xff) });
  });
});

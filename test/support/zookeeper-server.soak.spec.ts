import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from './eventually.js';
import { fourLetter } from './four-letter.js';
import { freePorts } from './free-port.js';
import { RawSession } from './raw-session.js';
import { PortTakenError, ZooKeeperServer } from './zookeeper-server.js';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('serves sessions as soon as it has started', async () => {
  await using server = await ZooKeeperServer.start();
  await using session = await RawSession.connect(server, { sessionTimeout: 1_000 });
  expect(session.sessionTimeout).toBe(1_000);
  expect(await server.fourLetter('ruok')).toBe('imok');
});

test('kill and restart keep the data and the port', async () => {
  await using server = await ZooKeeperServer.start();
  const { port, pid } = server;
  const before = await RawSession.connect(server);
  await before.create2('/kept');
  await server.kill();
  await eventually(() => !before.connected);
  await server.restart();
  expect(server.port).toBe(port);
  expect(server.pid).not.toBe(pid);
  await using after = await RawSession.connect(server);
  expect(await after.exists('/kept')).not.toBeNull();
});

test('a paused server keeps its sockets but answers nothing; a resumed one answers', async () => {
  await using server = await ZooKeeperServer.start();
  const session = await RawSession.connect(server);
  server.pause();
  await expect(fourLetter(server, 'ruok', 300)).rejects.toThrow('No answer to ruok within 300 ms.');
  expect(session.connected).toBe(true);
  server.resume();
  expect(await server.fourLetter('ruok')).toBe('imok');
});

test('stop also ends a paused server, and leaves no process, file or listener', async () => {
  const listeners = process.listenerCount('exit');
  const server = await ZooKeeperServer.start();
  const { pid } = server;
  const dataDir = /dataDir=(.*)/.exec(await server.fourLetter('conf'))![1]!;
  expect(existsSync(dataDir)).toBe(true);
  server.pause();
  await server.stop();
  await server.stop();
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(dataDir)).toBe(false);
  expect(process.listenerCount('exit')).toBe(listeners);
});

test('a start that fails rejects with the reason and the end of the log', async () => {
  const start = ZooKeeperServer.start({ config: { tickTime: 'nonsense' } });
  await expect(start).rejects.toThrow(/exited unexpectedly[^]*nonsense/);
});

test('start rejects with PortTakenError if the given port is in use', async () => {
  await using first = await ZooKeeperServer.start();
  await expect(ZooKeeperServer.start({ port: first.port })).rejects.toThrow(PortTakenError);
});

test('keeps a given data directory', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'given-'));
  const [port, other] = await freePorts(2);
  {
    await using server = await ZooKeeperServer.start({ port, dataDir });
    await using session = await RawSession.connect(server);
    await session.create2('/kept');
  }
  {
    await using server = await ZooKeeperServer.start({ port: other, dataDir });
    await using session = await RawSession.connect(server);
    expect(server.connectString).toBe(`127.0.0.1:${other}`);
    expect(await session.exists('/kept')).not.toBeNull();
  }
  await rm(dataDir, { recursive: true });
});

test('becomes ready even if it requires credentials, and serves clients with credentials', async () => {
  const jvm = ['-Dzookeeper.enforce.auth.enabled=true', '-Dzookeeper.enforce.auth.schemes=digest'];
  await using server = await ZooKeeperServer.start({ jvm });
  const withoutCredentials = await RawSession.connect(server);
  await expect(withoutCredentials.exists('/')).rejects.toMatchObject({ code: -124 });
  await using session = await RawSession.connect(server, { auth: 'user:secret' });
  expect(await session.exists('/')).not.toBeNull();
});

test('removes empty containers at the given interval', async () => {
  await using server = await ZooKeeperServer.start({ containerCheckIntervalMs: 100 });
  await using session = await RawSession.connect(server);
  await session.create2('/container', 'container');
  await session.create2('/container/child', 'ephemeral');
  await session.delete('/container/child');
  await eventually(async () => (await session.exists('/container')) === null, {
    describe: 'the container to go',
  });
});

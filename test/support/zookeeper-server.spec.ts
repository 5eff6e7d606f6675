import { expect, test } from 'vitest';
import { RawSession } from './raw-session.js';
import { ZooKeeperServer } from './zookeeper-server.js';

test('serves sessions as soon as it has started', async () => {
  await using server = await ZooKeeperServer.start();
  await using session = await RawSession.connect(server, { timeoutMs: 20_000 });
  const { path, stat } = await session.create2('/first-', 'ephemeral-sequential');
  expect(path).toBe('/first-0000000000');
  expect(stat.ephemeralOwner).toBe(session.id);
  expect(await server.fourLetter('ruok')).toBe('imok');
});

test('after kill and restart the data are there, on the same port', async () => {
  await using server = await ZooKeeperServer.start();
  const { port, pid } = server;
  const before = await RawSession.connect(server);
  await before.create2('/kept');
  await server.kill();
  await server.restart();
  expect(server.port).toBe(port);
  expect(server.pid).not.toBe(pid);
  await using after = await RawSession.connect(server);
  expect(await after.exists('/kept')).not.toBeNull();
});

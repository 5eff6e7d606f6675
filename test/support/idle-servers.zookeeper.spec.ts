import { expect, test } from 'vitest';
import { IdleServers } from './idle-servers.js';
import { RawSession } from './raw-session.js';

const SESSION_TIMEOUT_MS = 40_000;

test('a server that was given back has neither nodes nor sessions of its last user', async () => {
  const servers = new IdleServers();
  await using server = await servers.take();
  const left = await RawSession.connect(server, { sessionTimeout: SESSION_TIMEOUT_MS });
  await left.create2('/parent');
  await left.create2('/parent/ephemeral', 'ephemeral');
  const cut = await RawSession.connect(server, { sessionTimeout: SESSION_TIMEOUT_MS });
  cut.destroy();

  await servers.giveBack(server);

  expect(await servers.take()).toBe(server);
  expect(left.connected).toBe(false);
  expect(await server.fourLetter('mntr')).toContain('zk_global_sessions\t0\n');
  await using observer = await RawSession.connect(server);
  expect(await observer.getChildren('/')).toEqual(['zookeeper']);
});

test('a server that cannot be emptied is stopped, and the next user gets another one', async () => {
  const servers = new IdleServers();
  await using server = await servers.take();
  await using session = await RawSession.connect(server);
  await session.create2('/parent', 'persistent', Buffer.alloc(0), [
    { scheme: 'digest', id: 'nobody:unknown', permissions: 31 },
  ]);
  await session.create2('/other');

  await servers.giveBack(server);

  expect(server.awake).toBe(false);
  await using next = await servers.take();
  expect(next).not.toBe(server);
});

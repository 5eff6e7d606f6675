import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import { prepareClient, EPHEMERAL, openClient } from './client-harness.js';

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await ZooKeeperEnsemble.start();
});
afterAll(() => ensemble.stop());

test('a session moves from a server that stopped answering to another one, with its ephemeral nodes', async () => {
  await using opened = await openClient(ensemble);
  const { client, listener } = opened;
  const leader = await ensemble.leader();
  // The leader must stay: this test is about the move, not about an election.
  while (listener.connections.at(-1)?.server === leader.connectString) {
    const connections = listener.connections.length;
    client.dropConnection(new Error('on the leader'));
    await listener.heard('connected', connections + 1);
  }
  const { sessionId } = client;
  await client.create('/moved', EPHEMERAL);
  const attached = ensemble.servers.find(
    ({ connectString }) => connectString === listener.connections.at(-1)?.server,
  )!;
  const connections = listener.connections.length;
  attached.pause();
  try {
    let pending!: Promise<void>;
    await new Promise<void>((sent) => {
      pending = client.commit({ sent });
    });
    client.dropConnection(new Error('no heartbeat'));
    await expect(pending).rejects.toMatchObject({ code: 'CONNECTION_LOSS', mayHaveBeenApplied: true });
    await listener.heard('connected', connections + 1);
    expect(listener.connections.at(-1)).toMatchObject({ sessionId });
    expect(listener.connections.at(-1)?.server).not.toBe(attached.connectString);
    await client.commit();
    expect(await client.exists('/moved')).toMatchObject({ ephemeralOwner: sessionId });
  } finally {
    attached.resume();
  }
});

test('what was read from one server can be read from the next one', async () => {
  await using opened = await openClient(ensemble);
  const { client, listener } = opened;
  for (let move = 0; move < 10; move += 1) {
    const { path, czxid } = await client.create('/seen', EPHEMERAL);
    client.dropConnection(new Error('test'));
    await listener.heard('connected', move + 2);
    expect(await client.exists(path)).toMatchObject({ czxid });
    await client.delete(path);
  }
  expect(new Set(listener.connections.map(({ sessionId }) => sessionId)).size).toBe(1);
});

test('a server that is read-only because it has no quorum is not accepted (H39)', async () => {
  await using readOnly = await ZooKeeperEnsemble.start({ jvm: ['-Dreadonlymode.enabled=true'] });
  const [alone, ...others] = readOnly.servers;
  await Promise.all(others.map((server) => server.kill()));
  await eventually(async () => (await alone!.fourLetter('isro')).includes('ro'), {
    describe: 'read-only mode',
  });
  await using opened = prepareClient(alone!);
  const { client, listener } = opened;
  client.connect();
  while (listener.failedAttempts.length < 3) await client.commit().catch(() => {});
  expect(listener.log).toEqual([]);
  expect(await alone!.fourLetter('isro')).toBe('ro');
  await others[0]!.restart();
  await listener.heard('connected');
  await client.commit();
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import { EPHEMERAL, openDriver } from './driver-harness.js';

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await ZooKeeperEnsemble.start();
});
afterAll(() => ensemble.stop());

test('a session moves from a server that stopped answering to another one, with its ephemeral nodes', async () => {
  await using opened = await openDriver(ensemble);
  const { driver, listener } = opened;
  const leader = await ensemble.leader();
  // The leader has to stay: what is seen here is the move, not an election.
  while (listener.connections.at(-1)?.server === leader.connectString) {
    const connections = listener.connections.length;
    driver.dropConnection(new Error('on the leader'));
    await listener.heard('connected', connections + 1);
  }
  const { sessionId } = driver;
  await driver.create('/moved', EPHEMERAL);
  const attached = ensemble.servers.find(
    ({ connectString }) => connectString === listener.connections.at(-1)?.server,
  )!;
  const connections = listener.connections.length;
  attached.pause();
  try {
    const pending = driver.commit();
    driver.dropConnection(new Error('no heartbeat'));
    await expect(pending).rejects.toMatchObject({ code: 'CONNECTION_LOSS', mayHaveBeenApplied: true });
    await listener.heard('connected', connections + 1);
    expect(listener.connections.at(-1)).toMatchObject({ sessionId, reattached: true });
    expect(listener.connections.at(-1)?.server).not.toBe(attached.connectString);
    await driver.commit();
    expect(await driver.exists('/moved')).toMatchObject({ ephemeralOwner: sessionId });
  } finally {
    attached.resume();
  }
});

test('what was seen over one server is seen over the next', async () => {
  await using opened = await openDriver(ensemble);
  const { driver, listener } = opened;
  for (let move = 0; move < 10; move += 1) {
    const { path, stat } = await driver.create('/seen', EPHEMERAL);
    driver.dropConnection(new Error('test'));
    await listener.heard('connected', move + 2);
    expect(await driver.exists(path)).toEqual(stat);
    await driver.delete(path);
  }
  expect(new Set(listener.connections.map(({ sessionId }) => sessionId)).size).toBe(1);
});

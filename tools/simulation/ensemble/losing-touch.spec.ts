import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from './ensemble-settings.js';
import { SpecEnsemble } from './spec-ensemble.js';

const { tickTime, syncLimit } = DEFAULT_SETTINGS;
const LIMIT = syncLimit * tickTime;
const TIMEOUT = 30_000;

it('a follower that is cut off serves its clients until it has heard nothing for the limit', async () => {
  const servers = await SpecEnsemble.start();
  const [, follower] = servers.roles;
  servers.isolate(follower!);
  await servers.pass(LIMIT - tickTime);
  expect(servers.serviceOf(follower!)).toBeDefined();
  await servers.pass(tickTime + 10);
  expect(servers.serviceOf(follower!)).toBeUndefined();
});

it('a leader that is cut off answers reads and syncs, but no writes, until it misses its followers', async () => {
  const servers = await SpecEnsemble.start();
  const [leader] = servers.roles;
  const session = await servers.open(leader, TIMEOUT);
  servers.isolate(leader);
  const code = servers.create(leader, session, '/never');
  await servers.pass(LIMIT - tickTime);
  let synced = false;
  servers.serviceOf(leader)!.quorum.sync(() => (synced = true));
  expect([synced, code()]).toEqual([true, undefined]);
  await servers.pass(2.5 * tickTime);
  expect(servers.serviceOf(leader)).toBeUndefined();
});

it('a leader that was paused beyond the limit serves for a moment longer, with old data', async () => {
  const servers = await SpecEnsemble.start();
  const [old] = servers.roles;
  const loop = servers.ensemble.loopOf(old)!;
  loop.pause();
  await servers.until(() => servers.ensemble.leader !== undefined && servers.ensemble.leader !== old);
  const [next] = servers.roles;
  const session = await servers.open(next, TIMEOUT);
  const code = servers.create(next, session, '/new');
  await servers.until(() => code() !== undefined);
  loop.resume();
  await servers.pass(1);
  expect([servers.serviceOf(old) !== undefined, servers.has(old, '/new')]).toEqual([true, false]);
  await servers.recovered();
  await servers.until(() => servers.has(old, '/new'));
});

it('a server that was paused for less than the limit keeps its role', async () => {
  const servers = await SpecEnsemble.start();
  const { roles } = servers;
  for (const name of roles.slice(0, 2)) {
    const loop = servers.ensemble.loopOf(name)!;
    loop.pause();
    await servers.pass(LIMIT - 2 * tickTime);
    loop.resume();
    await servers.pass(LIMIT);
    expect(servers.roles).toEqual(roles);
    expect(servers.serviceOf(name)).toBeDefined();
  }
});

it('a follower whose connection to the leader is reset closes those of its clients, and joins again', async () => {
  const servers = await SpecEnsemble.start();
  const [leader, follower] = servers.roles;
  servers.ensemble.resetLinks(follower!, leader);
  await servers.until(() => servers.serviceOf(follower!) === undefined);
  await servers.recovered();
  expect(servers.roles[0]).toBe(leader);
  expect(servers.serviceOf(follower!)).toBeDefined();
});

it('servers ask their own links whether they reach each other, whatever their names are', async () => {
  const servers = await SpecEnsemble.start(3, 11);
  // Those of another ensemble.
  for (const name of ['s1', 's2', 's3']) servers.stall(name, 's1', 's2', 's3');
  servers.ensemble.kill(servers.roles[0]);
  await servers.until(() => servers.ensemble.leader !== undefined);

  servers.isolate(servers.ensemble.leader!);
  await servers.pass(2 * LIMIT);
  expect(servers.ensemble.leader).toBeUndefined();
  expect(servers.ensemble.members.map(({ state }) => state)).toEqual(['looking', 'looking']);
});

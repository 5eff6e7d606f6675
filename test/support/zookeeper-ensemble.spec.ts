import { expect, test } from 'vitest';
import { eventually } from './eventually.js';
import { RawSession } from './raw-session.js';
import { ZooKeeperEnsemble } from './zookeeper-ensemble.js';

test('elects one leader, serves everywhere, and elects another when that one is killed', async () => {
  await using ensemble = await ZooKeeperEnsemble.start();
  const leader = await ensemble.leader();
  const followers = await ensemble.followers();
  expect(ensemble.servers).toHaveLength(3);
  expect(new Set([leader, ...followers])).toEqual(new Set(ensemble.servers));

  await using one = await RawSession.connect(followers[0]!);
  await using other = await RawSession.connect(followers[1]!);
  await one.create2('/replicated');
  await other.sync();
  expect(await other.exists('/replicated')).not.toBeNull();

  await leader.kill();
  await eventually(async () => expect(await ensemble.leader()).not.toBe(leader));
  await leader.restart();
  await eventually(async () => expect(await ensemble.followers()).toHaveLength(2));
});

test('a follower whose link is stalled lags behind, and catches up when it is healed', async () => {
  await using ensemble = await ZooKeeperEnsemble.start({ stallableLinks: true, syncLimit: 60 });
  const leader = await ensemble.leader();
  const [follower] = await ensemble.followers();
  const link = ensemble.link(follower!, leader);
  await using writer = await RawSession.connect(leader);
  await using reader = await RawSession.connect(follower!);

  link.stall('toFollower');
  await writer.create2('/late');
  expect(await reader.exists('/late')).toBeNull();
  link.heal('toFollower');
  await eventually(async () => expect(await reader.exists('/late')).not.toBeNull());
});

test('a write over a follower that cannot reach its leader waits for the healing', async () => {
  await using ensemble = await ZooKeeperEnsemble.start({ stallableLinks: true, syncLimit: 60 });
  const leader = await ensemble.leader();
  const [follower] = await ensemble.followers();
  const link = ensemble.link(follower!, leader);
  await using writer = await RawSession.connect(follower!);
  await using reader = await RawSession.connect(leader);

  link.stall('toLeader');
  const written = writer.create2('/waiting');
  // What goes the other way is not stalled: the follower still sees what others write.
  await reader.create2('/others');
  await using onlooker = await eventually(() => RawSession.connect(leader));
  await onlooker.create2('/more');
  expect(await reader.exists('/waiting')).toBeNull();
  link.heal();
  await written;
  expect(await reader.exists('/waiting')).not.toBeNull();
});

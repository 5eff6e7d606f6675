import { expect, test } from 'vitest';
import { Certificates } from './certificates.js';
import { eventually } from './eventually.js';
import { RawSession } from './raw-session.js';
import { ZooKeeperEnsemble } from './zookeeper-ensemble.js';

test('elects a leader, serves requests on all servers, and replaces a killed leader', async () => {
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

test('a follower with a stalled link lags behind, and catches up when the link is healed', async () => {
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

test('a follower that cannot reach its leader still receives messages, and its writes wait', async () => {
  await using ensemble = await ZooKeeperEnsemble.start({ stallableLinks: true, syncLimit: 60 });
  const leader = await ensemble.leader();
  const [follower] = await ensemble.followers();
  const link = ensemble.link(follower!, leader);
  await using writer = await RawSession.connect(follower!);
  await using onlooker = await RawSession.connect(follower!);
  await using other = await RawSession.connect(leader);

  link.stall('toLeader');
  const written = writer.create2('/waiting');
  await other.create2('/others');
  await eventually(async () => expect(await onlooker.exists('/others')).not.toBeNull());
  expect(await other.exists('/waiting')).toBeNull();
  link.heal();
  await written;
  // The follower may have applied it before its leader.
  await eventually(async () => expect(await other.exists('/waiting')).not.toBeNull());
});

test('with TLS every server has a TLS port', async () => {
  await using certificates = await Certificates.create();
  await using ensemble = await ZooKeeperEnsemble.start({ tls: certificates.server });
  for (const { host, securePort: port } of ensemble.servers) {
    await using session = await RawSession.connect({ host, port }, { tls: certificates.client });
    expect(session.connected).toBe(true);
  }
});

test('an ensemble without stallable links has no links', async () => {
  await using ensemble = await ZooKeeperEnsemble.start({ servers: 2 });
  expect(ensemble.connectString).toBe(ensemble.servers.map(({ port }) => `127.0.0.1:${port}`).join(','));
  const [one, two] = ensemble.servers;
  expect(() => ensemble.link(one!, two!)).toThrow('"stallableLinks"');
});

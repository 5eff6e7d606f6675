import type { TcpLink } from '../../../test/support/tcp-link.js';
import type { ZooKeeperEnsemble } from '../../../test/support/zookeeper-ensemble.js';
import type { LinkFault } from '../schedule/fault.js';
import type { FaultOutcome } from './fault-log.js';
import { serverName } from './server-faults.js';
import type { Sleep } from './sleep.js';

/** Injects a fault into the link between a follower and the leader, if there is a leader. */
export async function injectLinkFault(
  fault: LinkFault,
  ensemble: ZooKeeperEnsemble,
  sleep: Sleep,
): Promise<FaultOutcome> {
  const leader = await ensemble.leader().catch(() => undefined);
  const followers = await ensemble.followers();
  const follower = followers[fault.follower % Math.max(followers.length, 1)];
  if (leader === undefined || follower === undefined || follower === leader)
    return { targets: [], struck: false };

  const targets = [serverName(follower, ensemble)];
  const link = ensemble.link(follower, leader);
  try {
    if (fault.kind === 'linkStall') return { targets, detail: await stall(fault, link, sleep) };
    return { targets, detail: await doubleStall(fault, link, sleep) };
  } finally {
    link.heal();
  }
}

async function stall(
  { directions, ms }: LinkFault & { readonly kind: 'linkStall' },
  link: TcpLink,
  sleep: Sleep,
): Promise<string> {
  for (const direction of directions) link.stall(direction);
  await sleep(ms);
  return directions.join(' and ');
}

async function doubleStall(
  { ms, thenMs }: LinkFault & { readonly kind: 'doubleStall' },
  link: TcpLink,
  sleep: Sleep,
): Promise<string> {
  link.stall('toFollower');
  await sleep(ms);
  link.stall('toLeader');
  link.heal('toFollower');
  await sleep(thenMs);
  return `toFollower for ${ms} ms, then toLeader for ${thenMs} ms`;
}

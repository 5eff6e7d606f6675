import { NO_OWNER, ownerKind } from '../../../lib/testing/tree/ephemeral-owner.js';
import type { Transaction } from '../../../lib/testing/transactions/transaction.js';
import { processOf } from '../../history/names.js';
import { contendersOf, pathOf } from '../run/direct-access.js';
import { LATENCY } from './link-faults.js';
import { cutOff } from './partitions.js';
import type { Hit, Stage, Strikes } from './strike.js';

/** Those who take part. */
interface Parties {
  readonly host: string;
  readonly session: bigint;
  /** The follower that the process is connected to. */
  readonly server: string;
  readonly leader: string;
}

/** What makes the leader count the time of a session from an earlier touch than its last heartbeats. */
export const LATE_TOUCHES: Strikes<'lateTouch'> = {
  lateTouch: ({ resource, ms, late, away }, stage) => {
    const parties = partiesOf(resource, stage);
    if (parties === undefined) return undefined;
    const { scheduler, network, ensembles } = stage.world;
    const { host, session, server, leader } = parties;
    const slowed = network.direction(leader, server);
    const ends = scheduler.now + ms;
    let hit: Hit | undefined;
    const strike = (): void => {
      const { now } = scheduler;
      if (hit === undefined) slowed.latency = { min: late, max: late + LATENCY.max };
      else {
        stop();
        isolate(parties, away, stage);
      }
      hit = { targets: [host, server], from: hit?.from ?? now, to: Math.max(ends, now + away) };
    };
    const stop = ensembles.of(server).observe((transaction, author) => {
      // The servers go on first: they tell each other of this one as usual.
      if (author === session && isHeartbeat(transaction)) scheduler.schedule(scheduler.now, strike);
    });
    const undo = (): void => {
      stop();
      slowed.latency = LATENCY;
    };
    return { on: 'links', targets: [], hit: () => hit, undo };
  },
};

function partiesOf(resource: string, { world, access }: Stage): Parties | undefined {
  const { recorder, network, ensembles } = world;
  const holder = recorder.holderOf(resource);
  const session = sessionOf(resource, access);
  if (holder === undefined || session === undefined) return undefined;
  const host = processOf(holder);
  const [server] = network.serversOf(host);
  const leader = server && ensembles.of(server).leader;
  return leader === undefined || leader === server ? undefined : { host, session, server: server!, leader };
}

/** Of the first contender. */
function sessionOf(resource: string, access: Stage['access']): bigint | undefined {
  const service = access.leaderWith(pathOf(resource));
  const [first] = contendersOf(resource, service);
  const owner = service?.store.tree.get(first ?? '')?.owner ?? NO_OWNER;
  return ownerKind(owner) === 'session' ? owner : undefined;
}

/** A committed write that changes nothing. */
function isHeartbeat({ effect }: Transaction): boolean {
  return effect.kind === 'changes' && effect.changes.every(({ change }) => change.kind === 'check');
}

/** Nothing that the server sends reaches its leader, and the process reaches no other server. */
function isolate({ host, server, leader }: Parties, ms: number, stage: Stage): void {
  const { scheduler, network, ensembles } = stage.world;
  const toLeader = network.direction(server, leader);
  toLeader.stall();
  const others = ensembles.names.filter((name) => name !== server);
  const { undo } = cutOff([host], others, stage);
  scheduler.schedule(scheduler.now + ms, () => {
    toLeader.resume();
    undo?.();
  });
}

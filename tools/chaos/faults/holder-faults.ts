import { eventually } from '../../../test/support/eventually.js';
import { RawSession } from '../../../test/support/raw-session.js';
import type { ZooKeeperEnsemble } from '../../../test/support/zookeeper-ensemble.js';
import { attemptOf, processOf } from '../history/names.js';
import type { HolderFault } from '../schedule/fault.js';
import { ROOT, type ChaosStage } from '../cluster/chaos-cluster.js';
import type { Seat } from '../cluster/process-slot.js';
import type { FaultOutcome } from './fault-log.js';
import { disturbNetwork } from './network-faults.js';
import { killAndReplace } from './process-faults.js';
import type { Sleep } from './sleep.js';

const PATIENCE_MS = 5_000;
const LOOK_INTERVAL_MS = 50;

/** Disturbs the process that holds a resource, as soon as there is one that knows it does. */
export async function disturbHolder(
  { kind, resource, ms }: HolderFault,
  stage: ChaosStage,
  sleep: Sleep,
): Promise<FaultOutcome> {
  const patience = { timeoutMs: PATIENCE_MS, intervalMs: LOOK_INTERVAL_MS };
  const holder = await eventually(() => findHolder(resource, stage), patience).catch(() => undefined);
  if (holder === undefined) return { targets: [], struck: false };
  const { seat, attempt } = holder;
  const outcome = {
    targets: [seat.name],
    detail: `as ${attempt} held '${resource}'`,
    from: process.hrtime.bigint(),
  };
  if (kind === 'holderKill') await killAndReplace(seat, ms, sleep);
  else await disturbNetwork({ kind: 'blackHole', ms }, seat, sleep);
  return outcome;
}

interface Holder {
  readonly seat: Seat;
  readonly attempt: string;
}

async function findHolder(resource: string, { ensemble, seats }: ChaosStage): Promise<Holder | false> {
  const attempt = await headOf(resource, ensemble);
  const seat = seats.find(({ name, running }) => running && attempt && name === processOf(attempt));
  if (attempt === undefined || seat === undefined) return false;
  return seat.holds.has(attempt) && { seat, attempt };
}

/** The attempt at the head of the queue. */
async function headOf(resource: string, { servers }: ZooKeeperEnsemble): Promise<string | undefined> {
  await using session = await connectToAny(servers);
  const path = `${ROOT}/${resource}`;
  const contenders = await session.getChildren(path).catch(() => []);
  const [head] = contenders.sort((a, b) => Number(a.slice(-10)) - Number(b.slice(-10)));
  if (head === undefined) return undefined;
  const { data } = await session.getData(`${path}/${head}`);
  return attemptOf(JSON.parse(data.toString('utf8')) as { owner?: string; purpose?: string });
}

async function connectToAny(servers: ZooKeeperEnsemble['servers']): Promise<RawSession> {
  for (const server of servers) {
    const session = await RawSession.connect(server, { timeoutMs: 1_000 }).catch(() => undefined);
    if (session !== undefined) return session;
  }
  throw new Error('No server serves.');
}

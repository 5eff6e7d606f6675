import { eventually } from '../../../test/support/eventually.js';
import { RawSession } from '../../../test/support/raw-session.js';
import type { ZooKeeperEnsemble } from '../../../test/support/zookeeper-ensemble.js';
import { isSimpleResource } from '../../attempts/simple-resources.js';
import { attemptOf, processOf } from '../../history/names.js';
import type { HolderFault } from '../schedule/fault.js';
import { ROOT, type ChaosCluster } from '../cluster/chaos-cluster.js';
import type { ProcessSlot } from '../cluster/process-slot.js';
import type { FaultOutcome } from './fault-log.js';
import { injectNetworkFault } from './network-faults.js';
import { killAndReplace } from './process-faults.js';
import type { Sleep } from './sleep.js';

const TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 50;

/** Injects a fault into the process that holds a resource, as soon as one knows that it does. */
export async function injectHolderFault(
  { kind, resource, ms }: HolderFault,
  cluster: ChaosCluster,
  sleep: Sleep,
): Promise<FaultOutcome> {
  const limits = { timeoutMs: TIMEOUT_MS, intervalMs: POLL_INTERVAL_MS };
  const holder = await eventually(() => findHolder(resource, cluster), limits).catch(() => undefined);
  if (holder === undefined) return { targets: [], struck: false };
  const { slot, attempt } = holder;
  const outcome = {
    targets: [slot.name],
    detail: `as ${attempt} held '${resource}'`,
    from: process.hrtime.bigint(),
  };
  if (kind === 'holderKill') await killAndReplace(slot, ms, sleep);
  else await injectNetworkFault({ kind: 'blackHole', ms }, slot, sleep);
  return outcome;
}

interface Holder {
  readonly slot: ProcessSlot;
  readonly attempt: string;
}

async function findHolder(resource: string, { ensemble, slots }: ChaosCluster): Promise<Holder | false> {
  const attempt = await headOf(resource, ensemble);
  const slot = slots.find(({ name, running }) => running && attempt && name === processOf(attempt));
  if (attempt === undefined || slot === undefined) return false;
  return slot.holds.has(attempt) && { slot, attempt };
}

/** The attempt at the head of the queue, or that of the node of a lock without one. */
async function headOf(resource: string, { servers }: ZooKeeperEnsemble): Promise<string | undefined> {
  await using session = await connectToAny(servers);
  const path = `${ROOT}/${resource}`;
  const contenders = await session.getChildren(path).catch(() => []);
  const [head] = contenders.sort((a, b) => Number(a.slice(-10)) - Number(b.slice(-10)));
  if (head === undefined && !isSimpleResource(resource)) return undefined;
  const node = await session.getData(head === undefined ? path : `${path}/${head}`).catch(() => undefined);
  if (node === undefined) return undefined;
  return attemptOf(JSON.parse(node.data.toString('utf8')) as { owner?: string; purpose?: string }, resource);
}

async function connectToAny(servers: ZooKeeperEnsemble['servers']): Promise<RawSession> {
  for (const server of servers) {
    const session = await RawSession.connect(server, { timeoutMs: 1_000 }).catch(() => undefined);
    if (session !== undefined) return session;
  }
  throw new Error('No server accepts connections.');
}

import { eventually } from '../../support/eventually.js';
import { RawSession } from '../../support/raw-session.js';
import type { ZooKeeperEnsemble } from '../../support/zookeeper-ensemble.js';
import { processOf } from '../history/moments.js';
import type { HolderKill } from '../schedule/fault.js';
import { ROOT, type ChaosStage } from '../stage/chaos-stage.js';
import type { FaultOutcome } from './fault-log.js';
import { killAndReplace } from './process-faults.js';
import type { Sleep } from './sleep.js';

const PATIENCE_MS = 3_000;

/** Kills the process that holds a resource at the moment. */
export async function killHolder(
  { resource, ms }: HolderKill,
  { ensemble, seats }: ChaosStage,
  sleep: Sleep,
): Promise<FaultOutcome> {
  const attempt = await eventually(() => holderOf(resource, ensemble), { timeoutMs: PATIENCE_MS }).catch(
    () => undefined,
  );
  const seat = seats.find(({ name }) => attempt !== undefined && name === processOf(attempt));
  if (attempt === undefined || seat === undefined || !seat.running) return { targets: [], struck: false };
  await killAndReplace(seat, ms, sleep);
  return { targets: [seat.name], detail: `as ${attempt} was head of '${resource}'` };
}

/** The owner record of the head of the queue. */
async function holderOf(resource: string, { servers }: ZooKeeperEnsemble): Promise<string | false> {
  await using session = await RawSession.connect(servers[0]!, { timeoutMs: 1_000 });
  const path = `${ROOT}/${resource}`;
  const contenders = await session.getChildren(path).catch(() => []);
  const [head] = contenders.sort((a, b) => Number(a.slice(-10)) - Number(b.slice(-10)));
  if (head === undefined) return false;
  const { data } = await session.getData(`${path}/${head}`);
  return (JSON.parse(data.toString('utf8')) as { owner?: string }).owner ?? false;
}

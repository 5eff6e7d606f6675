import { eventually } from '../../support/eventually.js';
import { RawSession } from '../../support/raw-session.js';
import type { ZooKeeperEnsemble } from '../../support/zookeeper-ensemble.js';
import type { Aftermath } from '../history/chaos-history.js';
import { REAP_INTERVAL_MS, ROOT } from './chaos-stage.js';

const NOISE_MS = 3_000;
/** The lock paths within two intervals, and then their root. */
const REAPED_MS = 3 * REAP_INTERVAL_MS + NOISE_MS;

/** Looks for what is left while all processes are connected and idle: their sessions' ends would tidy up. */
export async function inspectAftermath(
  ensemble: ZooKeeperEnsemble,
  resources: readonly string[],
): Promise<Aftermath> {
  await using observer = await RawSession.connect(ensemble.servers[0]!, { sessionTimeout: 40_000 });
  const contenders = await leftAfter(NOISE_MS, () => contendersOf(observer, resources));
  const watches = await leftAfter(NOISE_MS, () => watchesOf(ensemble));
  const lockPaths = await leftAfter(REAPED_MS, () => lockPathsOf(observer));
  return { contenders, watches, lockPaths };
}

/** What a look still finds when `ms` have passed; empty as soon as it finds nothing. */
async function leftAfter(ms: number, look: () => Promise<string[]>): Promise<string[]> {
  let left: string[] = [];
  await eventually(async () => (left = await look()).length === 0, { timeoutMs: ms, intervalMs: 100 }).catch(
    () => {},
  );
  return left;
}

async function contendersOf(observer: RawSession, resources: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const resource of resources) {
    const path = `${ROOT}/${resource}`;
    const children = await observer.getChildren(path).catch(() => []);
    for (const name of children) {
      const record = await observer.getData(`${path}/${name}`).catch(() => undefined);
      if (record !== undefined) found.push(`${path}/${name} ${record.data.toString('utf8')}`);
    }
  }
  return found;
}

/** `wchs` ends in "Total watches:0". */
async function watchesOf({ servers }: ZooKeeperEnsemble): Promise<string[]> {
  const answers = await Promise.all(servers.map((server) => server.fourLetter('wchs')));
  return answers.flatMap((answer, index) => {
    const total = /Total watches:\s*(\d+)/.exec(answer)?.[1];
    return total === '0' ? [] : [`s${index + 1}: ${answer.trim().replaceAll('\n', ', ')}`];
  });
}

async function lockPathsOf(observer: RawSession): Promise<string[]> {
  if ((await observer.exists(ROOT)) === null) return [];
  const children = await observer.getChildren(ROOT).catch(() => []);
  return [ROOT, ...children.map((name) => `${ROOT}/${name}`)];
}

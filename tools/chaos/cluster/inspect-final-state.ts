import { eventually } from '../../../test/support/eventually.js';
import { ifThere } from '../../../test/support/if-there.js';
import { RawSession } from '../../../test/support/raw-session.js';
import type { ZooKeeperEnsemble } from '../../../test/support/zookeeper-ensemble.js';
import { CONTAINER_OWNER } from '../../../lib/testing/tree/ephemeral-owner.js';
import type { Aftermath } from '../history/chaos-history.js';
import { PARENT } from '../worker/module-options.js';
import { REAP_INTERVAL_MS, ROOT } from './chaos-cluster.js';

/** What a busy machine may need for deletes that are under way. */
const NOISE_MS = 10_000;
/** The lock paths within two intervals, then their root, then its parent. */
const REAPED_MS = 4 * REAP_INTERVAL_MS + NOISE_MS;

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

/**
 * What a look still finds when `ms` have passed; empty as soon as it finds nothing.
 *
 * @throws Error if no look succeeded: then nobody knows
 */
async function leftAfter(ms: number, look: () => Promise<string[]>): Promise<string[]> {
  let left: string[] | undefined;
  const clean = eventually(async () => (left = await look()).length === 0, {
    timeoutMs: ms,
    intervalMs: 100,
  });
  await clean.catch((error: unknown) => {
    if (left === undefined) throw error;
  });
  return left ?? [];
}

async function contendersOf(observer: RawSession, resources: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const resource of resources) {
    const path = `${ROOT}/${resource}`;
    for (const name of (await ifThere(observer.getChildren(path))) ?? []) {
      const record = await ifThere(observer.getData(`${path}/${name}`));
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

/** With their parent, unless a process that has it as its chroot has made it for good. */
async function lockPathsOf(observer: RawSession): Promise<string[]> {
  const parent = await observer.exists(PARENT);
  if (parent === null) return [];
  const children = await ifThere(observer.getChildren(ROOT));
  if (children === undefined) return parent.ephemeralOwner === CONTAINER_OWNER ? [PARENT] : [];
  return [ROOT, ...children.map((name) => `${ROOT}/${name}`)];
}

import { eventually } from '../../../test/support/eventually.js';
import { ifThere } from '../../../test/support/if-there.js';
import { RawSession } from '../../../test/support/raw-session.js';
import type { ZooKeeperEnsemble } from '../../../test/support/zookeeper-ensemble.js';
import { isSimpleResource } from '../../attempts/simple-resources.js';
import type { FinalState } from '../../history/run-history.js';
import { REAP_INTERVAL_MS, ROOT } from './chaos-cluster.js';

/** What a busy machine may need for deletes in flight, ms. */
const NOISE_MS = 10_000;
/** The server deletes lock paths within two intervals, then their root, ms. */
const REAPED_MS = 3 * REAP_INTERVAL_MS + NOISE_MS;

/** Inspects the servers while all processes are connected and idle: the end of their sessions would remove leaks. */
export async function inspectFinalState(
  ensemble: ZooKeeperEnsemble,
  resources: readonly string[],
): Promise<FinalState> {
  await using observer = await RawSession.connect(ensemble.servers[0]!, { sessionTimeout: 40_000 });
  const contenders = await remainingAfter(NOISE_MS, () => contendersOf(observer, resources));
  const watches = await remainingAfter(NOISE_MS, () => watchesOf(ensemble));
  const lockPaths = await remainingAfter(REAPED_MS, () => lockPathsOf(observer));
  return { contenders, watches, lockPaths };
}

/**
 * Resolves with an empty list as soon as `inspect` finds nothing, else with what it finds after `ms`.
 *
 * @throws the error of `inspect` if it never succeeded
 */
async function remainingAfter(ms: number, inspect: () => Promise<string[]>): Promise<string[]> {
  let found: string[] | undefined;
  const clean = eventually(async () => (found = await inspect()).length === 0, {
    timeoutMs: ms,
    intervalMs: 100,
  });
  await clean.catch((error: unknown) => {
    if (found === undefined) throw error;
  });
  return found ?? [];
}

async function contendersOf(observer: RawSession, resources: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const resource of resources) {
    const path = `${ROOT}/${resource}`;
    if (isSimpleResource(resource) && (await observer.exists(path)) !== null) found.push(path);
    for (const name of (await ifThere(observer.getChildren(path))) ?? []) {
      const record = await ifThere(observer.getData(`${path}/${name}`));
      if (record !== undefined) found.push(`${path}/${name} ${record.data.toString('utf8')}`);
    }
  }
  return found;
}

/** The reply to `wchs` ends in "Total watches:0" if there are none. */
async function watchesOf({ servers }: ZooKeeperEnsemble): Promise<string[]> {
  const answers = await Promise.all(servers.map((server) => server.fourLetter('wchs')));
  return answers.flatMap((answer, index) => {
    const total = /Total watches:\s*(\d+)/.exec(answer)?.[1];
    return total === '0' ? [] : [`s${index + 1}: ${answer.trim().replaceAll('\n', ', ')}`];
  });
}

/** Without their parent: a process may have made it a persistent node, for its chroot, and servers do not tell the difference. */
async function lockPathsOf(observer: RawSession): Promise<string[]> {
  const children = await ifThere(observer.getChildren(ROOT));
  if (children === undefined) return [];
  return [ROOT, ...children.map((name) => `${ROOT}/${name}`)];
}

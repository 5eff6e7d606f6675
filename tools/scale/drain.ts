import { setTimeout as delay } from 'node:timers/promises';
import type { ByteProxy } from './byte-proxy.js';
import { OWN_NODES, startCrowd, type Crowd } from './crowd.js';
import { disturb, type Disturbance } from './disturbance.js';
import { sharedNow } from './process/commands.js';
import type { ContentionPlan, ProbeReport } from './process/crowd-commands.js';
import type { Servers } from './servers.js';

export interface DrainOptions {
  readonly servers: Servers;
  readonly proxy: ByteProxy | undefined;
  /** The number of waiters in each process. */
  readonly waiters: number;
  readonly processes: number;
  /** The time from the disturbance to the release, ms. */
  readonly releaseAfter: number;
  /** The time limit of the drain after the release, ms. */
  readonly limit: number;
  readonly timeout: number;
}

export interface Drain {
  readonly attempts: number;
  readonly granted: number;
  /** The time until all waiters were in the queue. */
  readonly placeMs: number;
  /** The time from the release to the last grant. */
  readonly drainMs: number;
  /** Unrelated locks that were held before and are no longer held. */
  readonly dropped: readonly string[];
  /** The first locks that were lost, and why. */
  readonly lost: readonly string[];
  readonly failures: readonly Readonly<Record<string, number>>[];
  /** The probes of the first process. */
  readonly probe: ProbeReport;
  /** The number of events of each type in all processes. */
  readonly counts: Readonly<Record<string, number>>;
  readonly reasons: readonly string[];
  readonly requeued: number;
  readonly longestTurn: number;
}

const PROBE_INTERVAL_MS = 50;
const PROBE_LIMIT_MS = 10_000;
const PARALLEL = 256;

/** Queues waiters for a name, disturbs them, releases the lock, and waits until all are granted it. */
export async function drain(options: DrainOptions, disturbance: Disturbance): Promise<Drain> {
  const { servers, proxy, processes, timeout: sessionTimeout } = options;
  const connectString = proxy?.connectString ?? servers.connectString;
  // The holder does not use the proxy, so that the reset does not affect it.
  await using holder = await startCrowd({ connectString: servers.connectString, sessionTimeout });
  const crowds: Crowd[] = [];
  try {
    const settings = { connectString, sessionTimeout, ...OWN_NODES };
    while (crowds.length < processes) crowds.push(await startCrowd(settings));
    const result = await drainCrowds(options, disturbance, holder, crowds);
    // The sessions of killed processes would expire during the next drain.
    if (result.granted === result.attempts)
      await Promise.all([holder, ...crowds].map((crowd) => crowd.call('close')));
    return result;
  } finally {
    await Promise.all(crowds.map((crowd) => crowd.kill()));
  }
}

async function drainCrowds(
  { servers, proxy, waiters, releaseAfter, limit }: DrainOptions,
  disturbance: Disturbance,
  holder: Crowd,
  crowds: readonly Crowd[],
): Promise<Drain> {
  const plan: ContentionPlan = {
    prefix: `till-${disturbance}`,
    names: 1,
    each: waiters,
    parallel: PARALLEL,
    onGrant: 'release',
  };
  await holder.call('contend', 'held', { ...plan, each: 1, onGrant: 'keep' });
  await holder.call('placed', 'held', 1);
  await Promise.all(crowds.map((crowd, i) => crowd.call('keep', `unrelated-${disturbance}-${i}`)));
  const begun = sharedNow();
  await Promise.all(crowds.map((crowd) => crowd.call('contend', 'crowd', plan)));
  await Promise.all(crowds.map((crowd) => crowd.call('placed', 'crowd', waiters)));
  const placeMs = sharedNow() - begun;

  await crowds[0]!.call('probe', PROBE_INTERVAL_MS);
  await disturb(disturbance, servers, proxy);
  // A fixed delay: the drain rate is specified from `releaseAfter` after the disturbance.
  if (disturbance !== 'none') await delay(releaseAfter);
  await holder.call('connected');
  const releasedAt = sharedNow();
  await holder.call('releaseAll', 'held', 1);
  await Promise.all(crowds.map((crowd) => crowd.call('settled', 'crowd', limit)));
  return summary(crowds, { placeMs, releasedAt });
}

async function summary(
  crowds: readonly Crowd[],
  { placeMs, releasedAt }: { placeMs: number; releasedAt: number },
): Promise<Drain> {
  const probe = await crowds[0]!.call('endProbe', PROBE_LIMIT_MS);
  const reports = await Promise.all(crowds.map((crowd) => crowd.call('contention', 'crowd')));
  const events = await Promise.all(crowds.map((crowd) => crowd.call('events')));
  const dropped = await Promise.all(crowds.map((crowd) => crowd.call('dropped')));
  const lastGrant = Math.max(releasedAt, ...reports.map(({ grantedAt }) => grantedAt.at(-1) ?? 0));
  return {
    attempts: sum(reports.map(({ attempts }) => attempts)),
    granted: sum(reports.map(({ granted }) => granted)),
    placeMs,
    drainMs: lastGrant - releasedAt,
    dropped: dropped.flat(),
    lost: events.flatMap(({ lost }) => lost),
    failures: reports.map(({ failures }) => failures).filter((failures) => Object.keys(failures).length > 0),
    probe,
    counts: added(events.map(({ counts }) => counts)),
    reasons: events.flatMap(({ suspendedBecause }) => suspendedBecause),
    requeued: sum(events.map(({ requeued }) => requeued)),
    longestTurn: Math.max(...events.map(({ longestTurn }) => longestTurn)),
  };
}

function added(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((each) => Object.entries(each)))
    total[name] = (total[name] ?? 0) + count;
  return total;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

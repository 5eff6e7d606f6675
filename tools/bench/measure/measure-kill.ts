import { setTimeout as sleep } from 'node:timers/promises';
import { sharedNow } from '../shared-clock.js';
import { TICK_MS } from '../stores/zookeeper-store.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import type { Sample } from './sample.js';

/** The session timeout of both processes, and the lifetime of a lock that expires by time, ms. */
const SESSION_TIMEOUT_MS = 4 * TICK_MS;
/** Enough for a waiter to join the queue; it cannot be granted the lock before the kill. */
const LEAST_QUEUEING_MS = 300;
/** Holders keep their sessions alive at different intervals, and servers end sessions at ticks. */
const PHASES_MS = 1_000;
const LIMIT_MS = 60_000;

/** Kills a process that holds a lock, and measures the time until a process that waits is granted it. */
export async function measureKill(pool: WorkerPool, root: string): Promise<Sample> {
  const settings = { sessionTimeout: SESSION_TIMEOUT_MS, root };
  await using holder = await pool.startAnother(settings);
  await using waiter = await pool.startAnother(settings);
  await holder.hold(LIMIT_MS);
  const granted = waiter.hold(LIMIT_MS);
  await sleep(LEAST_QUEUEING_MS + Math.random() * PHASES_MS);
  const killedAt = sharedNow();
  await holder[Symbol.asyncDispose]();
  const grantedAt = await granted;
  const recovery = (grantedAt - killedAt) / 1e6;
  return {
    speed: 1_000 / recovery,
    recovery,
    timeouts: recovery / SESSION_TIMEOUT_MS,
    violations: grantedAt < killedAt ? 1 : 0,
  };
}

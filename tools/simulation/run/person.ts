import { actorOf, attemptOf } from '../../history/names.js';
import type { Operator } from './operator.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { World } from './world.js';

/** How often a person looks, ms. */
const LOOK_MS = 100;

/** Frees the closed locks of processes that have ended: no later process has their names. */
export function freeClosedLocks(
  { scheduler, scenario }: World,
  processes: readonly SimulatedProcess[],
  operator: Operator,
): void {
  const look = (): void => {
    const ended = new Set(processes.flatMap(({ incarnations }) => incarnations.map(({ actor }) => actor)));
    for (const resource of scenario.resources)
      operator.freeClosed(resource, (data) => ended.has(holderOf(data, resource) ?? ''));
    scheduler.schedule(scheduler.now + LOOK_MS, look);
  };
  scheduler.schedule(LOOK_MS, look);
}

/** The process that a record names. */
function holderOf(data: string, resource: string): string | undefined {
  const attempt = attemptOf(JSON.parse(data) as { owner?: string; purpose?: string }, resource);
  return attempt && actorOf(attempt);
}

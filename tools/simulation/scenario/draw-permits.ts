import { isSimpleResource } from '../../attempts/simple-resources.js';
import type { Random } from '../world/random.js';
import type { PlannedCall, PlannedRequest, Scenario } from './scenario.js';

/** Of the runs. */
const CHANGES_SHARE = 0.3;
/** From one change to the next on average, ms. */
const INTERVALS_MS = [300, 1_000, 4_000];
/** Of the calls: those that name the number that their semaphore should have. */
const INFORMED_SHARE = 0.8;
const MOST_PERMITS = 5;

/** Who changes the numbers of permits in a run, and when: nobody in most. */
export function drawPermits(
  { processes, resources, quietFrom }: Pick<Scenario, 'processes' | 'resources' | 'quietFrom'>,
  random: Random,
): PlannedRequest[] {
  const queued = resources.filter((resource) => !isSimpleResource(resource));
  if (!random.chance(CHANGES_SHARE) || queued.length === 0) return [];
  const interval = random.pick(INTERVALS_MS);
  const changes: PlannedRequest[] = [];
  for (let at = random.between(0, 2 * interval); at < quietFrom; at += random.between(0, 2 * interval)) {
    const { name: process } = random.pick(processes);
    const permits = random.integer(1, MOST_PERMITS);
    changes.push({ at: Math.round(at), process, resource: random.pick(queued), permits });
  }
  return changes;
}

/** The calls, of which most name the number that the last change before them has set. */
export function informed(
  calls: readonly PlannedCall[],
  changes: readonly PlannedRequest[],
  random: Random,
): PlannedCall[] {
  if (changes.length === 0) return [...calls];
  return calls.map((call) => {
    const { at, plan } = call;
    const isInformed = random.chance(INFORMED_SHARE);
    const last = changes.findLast((change) => change.at <= at && change.resource === plan.resource);
    if (!isInformed || plan.permits === undefined || last?.permits === undefined) return call;
    return { ...call, plan: { ...plan, permits: last.permits } };
  });
}

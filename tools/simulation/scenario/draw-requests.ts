import type { RequestPlan } from '../../attempts/make-request.js';
import type { Random } from '../world/random.js';
import type { PlannedRequest, Scenario } from './scenario.js';

/** Of the runs, for each kind of requests. */
const REQUESTS_SHARE = 0.3;
/** From one request to the next on average, ms. The shortest catch what happens between two round trips. */
const INTERVALS_MS = [100, 400, 1_500];

/** Who asks for a release in a run, or inspects a lock, and when: nobody in most. */
export function drawRequests(
  { processes, resources, quietFrom }: Pick<Scenario, 'processes' | 'resources' | 'quietFrom'>,
  random: Random,
  kind: Pick<RequestPlan, 'inspects'> = {},
): PlannedRequest[] {
  if (!random.chance(REQUESTS_SHARE)) return [];
  const interval = random.pick(INTERVALS_MS);
  const requests: PlannedRequest[] = [];
  for (let at = random.between(0, 2 * interval); at < quietFrom; at += random.between(0, 2 * interval)) {
    const { name: process } = random.pick(processes);
    requests.push({ at: Math.round(at), process, resource: random.pick(resources), ...kind });
  }
  return requests;
}

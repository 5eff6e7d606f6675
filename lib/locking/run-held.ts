import type { Hold } from './hold.js';
import { HoldGuard } from './hold-guard.js';

/**
 * Runs `work` under a hold and releases it when the work has settled. Rejects at once when the hold is lost; the node of
 * a hold lost by shutdown stays until its work has settled all the same.
 *
 * @param outlives tells a result that goes on working, such as a stream: the hold is then left to whoever consumes it
 */
export async function runHeld<T>(
  held: Hold,
  work: () => T | PromiseLike<T>,
  outlives: (result: T) => boolean = () => false,
): Promise<T> {
  const guard = new HoldGuard(held);
  let result: T;
  try {
    result = await guard.step(work);
  } catch (error) {
    await guard.fail();
    throw error;
  }
  if (!outlives(result)) await guard.finish();
  return result;
}

import { HoldGuard } from './hold-guard.js';
import type { Holding } from './holding.interface.js';

/**
 * Runs `work` under a hold and releases the hold when the work has settled. Rejects as soon as the hold is lost. If it is
 * lost by a shutdown, its node still stays until the work has settled.
 *
 * @param outlives returns true for a result that continues to work, such as a stream: its consumer then ends the hold
 */
export async function runHeld<T>(
  held: Holding,
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

import { HoldGuard } from './hold-guard.js';
import type { Holding } from './holding.interface.js';
import { isStream, refuseStream } from './stream-result.js';

/**
 * Runs `work` under a hold and releases the hold when the work has settled. Rejects as soon as the hold is lost. If it is
 * lost by a shutdown, its node still stays until the work has settled.
 *
 * @param streams what becomes of a stream that the work returns: it outlives the call, and its consumer then ends the hold, or
 *   it is refused, because it would continue after the release
 * @param discard is called with a result that the caller does not get, because the lock was lost
 * @throws LockConfigurationError for a refused stream
 */
export async function runHeld<T>(
  held: Holding,
  work: () => T | PromiseLike<T>,
  streams: 'outlive' | 'refused' = 'refused',
  discard: (result: T) => void = () => {},
): Promise<T> {
  const guard = new HoldGuard(held);
  let result: T;
  try {
    result = await guard.step(work, discard);
    if (streams === 'refused') refuseStream(held, result);
  } catch (error) {
    await guard.fail();
    throw error;
  }
  if (streams === 'outlive' && isStream(result)) return result;
  try {
    await guard.finish();
  } catch (loss) {
    discard(result);
    throw loss;
  }
  return result;
}

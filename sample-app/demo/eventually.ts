import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 20_000;
const INTERVAL_MS = 20;

/** Polls until the result is neither undefined nor false, and resolves with it. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  what: string,
): Promise<Exclude<T, false | undefined>> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer as Exclude<T, false | undefined>;
    if (performance.now() > deadline) {
      throw new Error(`Timed out after ${TIMEOUT_MS / 1_000} s waiting for ${what}`);
    }
    await sleep(INTERVAL_MS);
  }
}

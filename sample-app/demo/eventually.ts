import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 20_000;
const INTERVAL_MS = 20;

/** Asks until the answer is neither undefined nor false, and resolves with it. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  what: string,
): Promise<Exclude<T, false | undefined>> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer as Exclude<T, false | undefined>;
    if (performance.now() > deadline) {
      throw new Error(`Waited ${PATIENCE_MS / 1_000} s in vain for ${what}`);
    }
    await sleep(INTERVAL_MS);
  }
}

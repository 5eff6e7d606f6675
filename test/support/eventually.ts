import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** @default 20_000 */
  readonly timeoutMs?: number;
  /** @default 20 */
  readonly intervalMs?: number;
  /** What is waited for, as the end of the sentence "waited for ...". */
  readonly describe?: string;
}

type Falsy = false | null | 0 | '';

/**
 * Polls until `condition` returns a truthy value, or undefined because its assertions passed. Resolves with the value;
 * rejects with the last failure as `cause`.
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 20_000, intervalMs = 20, describe = 'a condition' }: EventuallyOptions = {},
): Promise<Exclude<T, Falsy>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let failure: unknown;
    try {
      const value = await condition();
      if (holds(value)) return value;
      failure = `the last value was ${String(value)}`;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) {
      const last = failure instanceof Error ? failure.message : String(failure);
      throw new Error(`Waited ${timeoutMs} ms for ${describe}: ${last}`, { cause: failure });
    }
    await sleep(intervalMs);
  }
}

function holds<T>(value: T): value is Exclude<T, Falsy> {
  return value === undefined || Boolean(value);
}

import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** @default 20_000 */
  readonly timeoutMs?: number;
  /** @default 20 */
  readonly intervalMs?: number;
  /** What is waited for, as the end of the sentence "waited for ...". */
  readonly describe?: string;
}

/**
 * Polls a fact until it holds: until `condition` returns something truthy, or returns nothing because its assertions
 * did not throw. Resolves with the value; rejects with the last failure as `cause`.
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 20_000, intervalMs = 20, describe = 'a condition' }: EventuallyOptions = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { value, failure } = await attempt(condition);
    if (failure === undefined) return value as T;
    if (performance.now() > deadline) {
      throw new Error(`Waited ${timeoutMs} ms in vain for ${describe}: ${failure.message}`, {
        cause: failure,
      });
    }
    await sleep(intervalMs);
  }
}

async function attempt<T>(condition: () => T | Promise<T>): Promise<{ value?: T; failure?: Error }> {
  try {
    const value = await condition();
    const holds = value === undefined || Boolean(value);
    return holds ? { value } : { failure: new Error(`the last value was ${String(value)}`) };
  } catch (error) {
    return { failure: error instanceof Error ? error : new Error(String(error)) };
  }
}

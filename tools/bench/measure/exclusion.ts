import type { Grant } from './grants.js';

/**
 * The number of grants that were made while another hold of the same key lasted. No false alarm is possible: each hold
 * began before its first time stamp and ended after its last one, and all processes read the same clock.
 */
export function violations(grants: readonly Grant[]): number {
  const byTime = grants.toSorted((a, b) => a.acquired - b.acquired);
  const heldUntil = new Map<number, number>();
  let count = 0;
  for (const { key, acquired, releasing } of byTime) {
    const until = heldUntil.get(key) ?? -Infinity;
    if (acquired < until) count += 1;
    heldUntil.set(key, Math.max(until, releasing));
  }
  return count;
}

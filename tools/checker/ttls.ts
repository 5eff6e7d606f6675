import { milliseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, heldSince, type Attempt } from './attempt.js';
import { DRIFT, ROUNDING_MS } from './clocks.js';

/** A ttl of a hold, ms; 0: no limit. */
interface Ttl {
  readonly ttl: number;
  /** From when on it counts. */
  readonly since: bigint;
}

/** The ttl that the hold had at that time: that of its call, or the last one that its work has given it. */
export function ttlAt(attempt: Attempt, at: bigint): Ttl | undefined {
  return ttlsOf(attempt).findLast(({ since }) => since <= at);
}

/** The ttl must have passed, as far as clocks agree. */
export function hasPassed({ ttl, since }: Ttl, at: bigint): boolean {
  return ttl > 0 && milliseconds(at - since) >= ttl * (1 - DRIFT) - ROUNDING_MS;
}

/** How long the hold was valid with the first ttl that it has outlived, ms. */
export function outlivedTtl(
  attempt: Attempt,
  { run }: RunHistory,
): { readonly ttl: number; readonly heldMs: number } | undefined {
  const { valid } = attempt;
  if (valid === undefined) return undefined;
  const ttls = ttlsOf(attempt);
  return ttls
    .map(({ ttl, since }, index) => ({
      ttl,
      heldMs: milliseconds((ttls[index + 1]?.since ?? valid.to) - since),
    }))
    .find(({ ttl, heldMs }) => ttl > 0 && heldMs > ttl * (1 + DRIFT) + run.precision.noise);
}

function ttlsOf(attempt: Attempt): Ttl[] {
  const { grant, asked } = attempt;
  if (grant === undefined) return [];
  const extended = eventsOf(attempt, 'extended').filter(({ held }) => held);
  const given = extended.map(({ ttl, at }) => ({ ttl, since: at }));
  return [{ ttl: asked.ttl, since: heldSince({ ...attempt, grant }) }, ...given];
}

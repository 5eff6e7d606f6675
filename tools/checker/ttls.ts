import { milliseconds } from '../history/moments.js';
import { eventsOf, type Attempt } from './attempt.js';
import { DRIFT, ROUNDING_MS } from './clocks.js';

/** A ttl of a hold, ms; 0: no limit. */
export interface Ttl {
  readonly ttl: number;
  /** From when on it counts, at the earliest. */
  readonly since: bigint;
  /** The same, at the latest: a process may be descheduled between two steps. */
  readonly sinceLatest: bigint;
}

/** The ttl that the hold had at that time: that of its call, or the last one that its work has given it. */
export function ttlAt(attempt: Attempt, at: bigint): Ttl | undefined {
  return ttlsOf(attempt).findLast(({ since }) => since <= at);
}

/** The ttl must have passed, as far as clocks agree. */
export function hasPassed({ ttl, since }: Ttl, at: bigint): boolean {
  return ttl > 0 && milliseconds(at - since) >= ttl * (1 - DRIFT) - ROUNDING_MS;
}

/**
 * For how long it was valid with a ttl, ms, if that is too long.
 *
 * @param tolerance ms
 */
export function overrun({ ttl, sinceLatest }: Ttl, until: bigint, tolerance: number): number | undefined {
  const heldMs = milliseconds(until - sinceLatest);
  return ttl > 0 && heldMs > ttl * (1 + DRIFT) + tolerance ? heldMs : undefined;
}

/** The ttls that the hold has had, one after the other. */
export function ttlsOf(attempt: Attempt): Ttl[] {
  const { grant, asked, heldSince: since } = attempt;
  if (grant === undefined || since === undefined) return [];
  const returned = eventsOf(attempt, 'extended');
  const given = eventsOf(attempt, 'extending')
    .filter(({ held }) => held)
    .map(({ ttl, at }, index) => ({ ttl, since: at, sinceLatest: returned[index]?.at ?? at }));
  return [{ ttl: asked.ttl, since, sinceLatest: grant.at }, ...given];
}

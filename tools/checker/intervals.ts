import { nanoseconds } from '../history/moments.js';

/** A time from one moment to another one, in ns. */
export interface Interval {
  readonly from: bigint;
  readonly to: bigint;
}

export function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Undefined if none of them is known. */
export function earliest(...times: readonly (bigint | undefined)[]): bigint | undefined {
  return times.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined);
}

/** The parts of the time that no interval covers, in order. */
export function gapsBetween({ from, to }: Interval, busy: readonly Interval[]): Interval[] {
  const gaps: Interval[] = [];
  let freeFrom = from;
  for (const one of busy.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    if (one.from >= to) break;
    if (one.from > freeFrom) gaps.push({ from: freeFrom, to: one.from });
    freeFrom = later(freeFrom, one.to);
  }
  if (freeFrom < to) gaps.push({ from: freeFrom, to });
  return gaps;
}

/** Every half a second, what is left of an interval, as long as that is more than `least`. */
export function* startsIn({ from, to }: Interval, least: bigint): Generator<Interval> {
  for (let start = from; to - start > least; start += nanoseconds(500)) yield { from: start, to };
}

/** The times at which at least `count` of the intervals overlap. */
export function whenAtLeast(count: number, intervals: readonly Interval[]): Interval[] {
  const changes = intervals
    .flatMap(({ from, to }) => [
      { at: from, by: 1 },
      { at: to, by: -1 },
    ])
    .toSorted((a, b) => (a.at === b.at ? a.by - b.by : a.at < b.at ? -1 : 1));
  const found: Interval[] = [];
  let overlapping = 0;
  let from: bigint | undefined;
  for (const { at, by } of changes) {
    overlapping += by;
    if (overlapping >= count) from ??= at;
    else if (from !== undefined) {
      found.push({ from, to: at });
      from = undefined;
    }
  }
  return found;
}

/** The time that is in both of them, if there is any. */
export function common(a: Interval, b: Interval): Interval[] {
  const [from, to] = [later(a.from, b.from), a.to < b.to ? a.to : b.to];
  return from < to ? [{ from, to }] : [];
}

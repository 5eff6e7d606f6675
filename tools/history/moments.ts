import type { RunHistory } from './run-history.js';

const NS_PER_MS = 1_000_000;

/** Converts milliseconds to a difference of timestamps. */
export function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms * NS_PER_MS));
}

export function milliseconds(distance: bigint): number {
  return Number(distance) / NS_PER_MS;
}

/** Formats a timestamp as seconds since the start of the run. */
export function moment(at: bigint, { run }: Pick<RunHistory, 'run'>): string {
  return `${(milliseconds(at - run.startedAt) / 1_000).toFixed(3)} s`;
}

export function byTime(a: { readonly at: bigint }, b: { readonly at: bigint }): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
}

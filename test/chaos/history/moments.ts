import type { ChaosHistory } from './chaos-history.js';

const NS_PER_MS = 1_000_000;

/** Milliseconds as a distance between stamps. */
export function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms * NS_PER_MS));
}

export function milliseconds(distance: bigint): number {
  return Number(distance) / NS_PER_MS;
}

/** A stamp as people read it: seconds since the start of the run. */
export function moment(at: bigint, { run }: Pick<ChaosHistory, 'run'>): string {
  return `${(milliseconds(at - run.startedAt) / 1_000).toFixed(3)} s`;
}

export function byTime(a: { readonly at: bigint }, b: { readonly at: bigint }): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
}

/** The process of an actor or of an attempt: `p3.2#17` and `p3.2` are of `p3`. */
export function processOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** The actor of an attempt: `p3.2#17` is of `p3.2`. */
export function actorOf(attempt: string): string {
  return attempt.slice(0, attempt.indexOf('#'));
}

import type { LockMode } from '../../lib/index.js';

/** An event of a lock in one process. */
export interface HistoryEvent {
  /** `process.hrtime.bigint()`, which is comparable between processes of one machine. */
  readonly at: bigint;
  readonly pid: number;
  readonly what:
    | 'acquiring'
    | 'acquired'
    | 'releasing'
    | 'released'
    /**
     * The last check that found it held, reported when it is lost: in a process that was stopped the signal is late.
     */
    | 'lastHeld'
    | 'signalAborted'
    | 'failed'
    | 'blocked'
    | 'connection';
  readonly resource?: string;
  readonly token?: bigint;
  /** Of an acquisition. @default 'exclusive' */
  readonly mode?: LockMode;
  readonly detail?: string;
}

/** A hold from the view of its process: from the return of the acquisition to the first sign of its end. */
export interface Hold {
  readonly resource: string;
  readonly pid: number;
  readonly token: bigint;
  readonly mode: LockMode;
  readonly from: bigint;
  /** Undefined for a hold that had not ended at the end of the history. */
  readonly to: bigint | undefined;
}

export interface Verdict {
  readonly holds: readonly Hold[];
  /** One sentence per violated invariant. */
  readonly violations: readonly string[];
}

/**
 * Checks the histories of several processes: valid holds of a resource never overlap (S1), tokens are unique and grow
 * with every grant (S2). Readers are compared only with others. `kills` contains the time at which each killed process ended.
 */
export function checkHistory(
  events: readonly HistoryEvent[],
  kills: ReadonlyMap<number, bigint> = new Map(),
): Verdict {
  const holds = holdsOf(events, kills);
  const violations: string[] = [];
  for (const ofResource of groupBy(holds, (hold) => hold.resource).values()) {
    violations.push(...overlaps(ofResource), ...unorderedTokens(ofResource));
  }
  return { holds, violations };
}

const ENDS = new Set<HistoryEvent['what']>(['releasing', 'lastHeld', 'signalAborted']);

function holdsOf(events: readonly HistoryEvent[], kills: ReadonlyMap<number, bigint>): Hold[] {
  const inOrder = events.toSorted(byTime);
  return inOrder
    .filter((event) => event.what === 'acquired')
    .map((grant) => {
      const end = inOrder.find(
        (event) =>
          ENDS.has(event.what) &&
          event.at >= grant.at &&
          event.pid === grant.pid &&
          event.token === grant.token,
      );
      return {
        resource: grant.resource!,
        pid: grant.pid,
        token: grant.token!,
        mode: grant.mode ?? 'exclusive',
        from: grant.at,
        to: end?.at ?? kills.get(grant.pid),
      };
    });
}

function* overlaps(holds: readonly Hold[]): Generator<string> {
  for (const [i, hold] of holds.entries()) {
    const next = nextExcluded(hold, holds, i);
    if (next === undefined || (hold.to !== undefined && hold.to <= next.from)) continue;
    yield `S1: ${describeHold(hold)} still holds '${hold.resource}' when ${describeHold(next)} is granted it`;
  }
}

function* unorderedTokens(holds: readonly Hold[]): Generator<string> {
  for (const [i, hold] of holds.entries()) {
    const next = nextExcluded(hold, holds, i);
    if (next !== undefined && next.token <= hold.token) {
      yield `S2: ${describeHold(next)} of '${hold.resource}' does not follow ${describeHold(hold)}`;
    }
  }
}

/** The next hold that must not begin before this one has ended. */
function nextExcluded({ mode }: Hold, holds: readonly Hold[], index: number): Hold | undefined {
  return holds.slice(index + 1).find((other) => mode !== 'read' || other.mode !== 'read');
}

function describeHold({ pid, token }: Hold): string {
  return `process ${pid} with token ${token}`;
}

function groupBy<T, K>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

function byTime(a: HistoryEvent, b: HistoryEvent): number {
  return a.at < b.at ? -1 : 1;
}

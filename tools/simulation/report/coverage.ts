import { eventsOf, type Attempt } from '../../checker/attempt.js';
import { attemptsOf } from '../../checker/attempts.js';
import type { FaultRecord } from '../../history/fault-record.js';
import { actorOf } from '../../history/names.js';
import type { RunHistory } from '../../history/run-history.js';

/** What an attempt was doing when a fault struck. */
export const STATES = [
  'joining',
  'waiting',
  'waiting again',
  'holding',
  'holding suspended',
  'releasing',
] as const;
export type AttemptState = (typeof STATES)[number];

/** How often each kind of fault has struck an attempt in each state, by `<kind> in <state>`. Plain data. */
export type Coverage = Readonly<Record<string, number>>;

export function coverageOf(history: RunHistory): Coverage {
  const coverage: Record<string, number> = {};
  const attempts = attemptsOf(history);
  for (const fault of history.faults) {
    if (!fault.struck) continue;
    for (const attempt of attempts.filter((one) => concerns(fault, one))) {
      const state = stateAt(fault.from, attempt, history);
      if (state === undefined) continue;
      const pair = pairOf(fault.kind, state);
      coverage[pair] = (coverage[pair] ?? 0) + 1;
    }
  }
  return coverage;
}

export function sumOfCoverages(a: Coverage, b: Coverage): Coverage {
  const pairs = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(pairs.map((pair) => [pair, (a[pair] ?? 0) + (b[pair] ?? 0)]));
}

/** A row for each kind of fault. A pair that was never seen has no number. */
export function coverageTable(coverage: Coverage, kinds: readonly string[]): string {
  const cell = (kind: string, state: AttemptState): string => String(coverage[pairOf(kind, state)] ?? '-');
  const rows = [
    ['fault', ...STATES],
    ...kinds.map((kind) => [kind, ...STATES.map((state) => cell(kind, state))]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function pairOf(kind: string, state: AttemptState): string {
  return `${kind} in ${state}`;
}

/** Faults of servers concern everybody. */
function concerns({ targets, on }: FaultRecord, { process }: Attempt): boolean {
  return on === 'servers' || on === 'links' || on === 'contender' || targets.includes(process);
}

function stateAt(at: bigint, attempt: Attempt, history: RunHistory): AttemptState | undefined {
  const { asked, grant, end } = attempt;
  if (at < asked.at) return undefined;
  if (end === undefined || at < end.at) return waitingState(at, attempt);
  if (grant === undefined) return undefined;
  const [releasing] = eventsOf(attempt, 'releasing');
  const [released] = eventsOf(attempt, 'released');
  if (released !== undefined && at >= released.at) return undefined;
  if (releasing !== undefined && at >= releasing.at) return 'releasing';
  return isSuspended(at, actorOf(attempt.name), history) ? 'holding suspended' : 'holding';
}

function waitingState(at: bigint, attempt: Attempt): AttemptState {
  const waiting = eventsOf(attempt, 'emitted').findLast((one) => one.event === 'waiting' && one.at <= at);
  if (waiting === undefined) return 'joining';
  return waiting.requeued === true ? 'waiting again' : 'waiting';
}

function isSuspended(at: bigint, actor: string, { events }: RunHistory): boolean {
  const last = events.findLast(
    (event) => event.what === 'connection' && event.actor === actor && event.at <= at,
  );
  return last?.what === 'connection' && last.state === 'suspended';
}

import { eventsOf, type Attempt } from '../../checker/attempt.js';
import { outsideEnds } from '../../checker/outside-ends.js';
import type { Verdict } from '../../checker/verdict.js';
import type { RunHistory } from '../../history/run-history.js';
import { groupBy } from '../../history/group-by.js';
import { milliseconds } from '../../history/moments.js';
import { faultRows } from './fault-rows.js';
import type { Row } from '../../trace/table.js';

/** The statistics of a run, as a table. */
export function numbers({ attempts, recoveries, excusedOverlaps }: Verdict, history: RunHistory): Row[] {
  const granted = attempts.filter(({ grant }) => grant !== undefined);
  const ended = attempts.flatMap(({ end }) => (end?.what === 'ended' ? [end.outcome] : []));
  const rejected = history.writes.filter(({ accepted }) => !accepted);
  const struck = history.faults.filter((fault) => fault.struck);
  const emitted = attempts.flatMap((attempt) => eventsOf(attempt, 'emitted'));
  const count = (event: string): number => emitted.filter((one) => one.event === event).length;
  const connections = history.events.flatMap((event) => (event.what === 'connection' ? [event.state] : []));
  const lost = emitted.flatMap(({ event, detail }) => (event === 'lost' ? [detail ?? '?'] : []));
  const closed = granted.filter(({ asked }) => asked.failure === 'closed');
  const takenOver = closed.filter(({ takeover }) => takeover !== undefined);
  const { kills, judged, longest } = recoveries;
  return [
    ['acquisitions', amount(attempts.length), counts(attempts.map(({ asked }) => asked.verb))],
    ['grants', amount(granted.length), waits(granted)],
    ['other ends', amount(ended.length), counts(ended)],
    ['queued again', amount(emitted.filter(({ requeued }) => requeued === true).length), ''],
    ['ttl expiries', amount(count('ttlExpired')), ''],
    ['lost holds', amount(lost.length), `${counts(lost)}${closest(attempts, history)}`],
    [
      'ended by a duplicate',
      amount(struck.filter(({ kind }) => kind === 'sessionExpiry').length),
      `${excusedOverlaps} times the next holder was granted the lock before the last one knew`,
    ],
    ['sessions', amount(connections.filter((state) => state === 'ready').length), counts(connections)],
    ['killed holders', amount(kills), `${judged} judged, the longest recovery ${Math.round(longest)} ms`],
    [
      'failing closed',
      amount(closed.length),
      `${takenOver.length} taken over by their owner, ${history.freed.length} freed by a person`,
    ],
    [
      'guarded writes',
      amount(history.writes.length),
      `${amount(rejected.length)} stale ones rejected (${counts(rejected.map(({ moment }) => moment))})`,
    ],
    ...faultRows(history.faults),
    [
      'role changes',
      amount(history.serverEvents.length),
      counts(history.serverEvents.map(({ mode }) => mode)),
    ],
    ['incarnations', amount(history.incarnations.length), counts(history.incarnations.map(({ end }) => end))],
  ];
}

function amount(value: number): string {
  return value.toLocaleString('en');
}

function counts(values: readonly string[]): string {
  return [...groupBy(values, (value) => value)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([value, { length }]) => `${value} ${length}`)
    .join(', ');
}

/** The shortest time between the end of a hold that was lost by its deadline and the next grant: the safety margin. */
function closest(attempts: readonly Attempt[], history: RunHistory): string {
  const lost = attempts.filter(
    (attempt) =>
      eventsOf(attempt, 'emitted').some(({ event }) => event === 'lost') &&
      outsideEnds(attempt, history).length === 0,
  );
  const least = Math.min(...lost.map((hold) => gapAfter(hold, attempts)));
  return Number.isFinite(least) ? `; the closest next grant came ${Math.round(least)} ms later` : '';
}

/** The time from the end of a hold to the next hold of its resource, ms; `Infinity` if there is none. */
function gapAfter({ resource, valid }: Attempt, attempts: readonly Attempt[]): number {
  return attempts.reduce((least, next) => {
    if (next.resource !== resource || next.valid === undefined || valid === undefined) return least;
    const gap = milliseconds(next.valid.from - valid.to);
    return gap > 0 ? Math.min(gap, least) : least;
  }, Infinity);
}

function waits(granted: readonly Attempt[]): string {
  const ms = granted.map(({ asked, grant }) => milliseconds(grant!.at - asked.at)).sort((a, b) => a - b);
  const at = (share: number): string => String(Math.round(ms[Math.floor(share * (ms.length - 1))] ?? 0));
  return `waited ${at(0.5)} ms (median), ${at(0.95)} ms (p95), ${at(1)} ms (longest)`;
}

import { milliseconds } from '../../history/moments.js';
import { coverageOf, sumOfCoverages, type Coverage } from '../report/coverage.js';
import type { Trial } from './trial.js';

/** How much one or more trials have covered. */
export interface Figures {
  readonly seeds: number;
  readonly grants: number;
  /** Faults that have struck. */
  readonly faults: number;
  /** Holders that were killed. */
  readonly kills: number;
  /** Of the kills: where it was judged when the next waiter had the lock. */
  readonly judged: number;
  /** ms of the simulation. */
  readonly virtualMs: number;
  readonly events: number;
  readonly coverage: Coverage;
}

export const NOTHING: Figures = {
  seeds: 0,
  grants: 0,
  faults: 0,
  kills: 0,
  judged: 0,
  virtualMs: 0,
  events: 0,
  coverage: {},
};

export function figuresOf({ run: { history, events }, verdict: { recoveries } }: Trial): Figures {
  return {
    seeds: 1,
    grants: history.events.filter(({ what }) => what === 'granted').length,
    faults: history.faults.filter(({ struck }) => struck).length,
    kills: recoveries.kills,
    judged: recoveries.judged,
    virtualMs: milliseconds(history.run.endedAt - history.run.startedAt),
    events,
    coverage: coverageOf(history),
  };
}

export function sum(a: Figures, b: Figures): Figures {
  return {
    seeds: a.seeds + b.seeds,
    grants: a.grants + b.grants,
    faults: a.faults + b.faults,
    kills: a.kills + b.kills,
    judged: a.judged + b.judged,
    virtualMs: a.virtualMs + b.virtualMs,
    events: a.events + b.events,
    coverage: sumOfCoverages(a.coverage, b.coverage),
  };
}

/** @param realMs how long it has taken */
export function describeFigures(
  { seeds, grants, faults, kills, judged, virtualMs, events }: Figures,
  realMs: number,
): string {
  const perMinute = (count: number): number => Math.round(count / (realMs / 60_000));
  return [
    `${seeds} seeds`,
    `${grants} grants (${perMinute(grants)}/min)`,
    `${faults} faults (${perMinute(faults)}/min)`,
    `L2 judged for ${judged} of ${kills} killed holders`,
    `${events} events`,
    `${(virtualMs / 60_000).toFixed(1)} min of virtual time in ${(realMs / 60_000).toFixed(1)} min`,
  ].join(', ');
}

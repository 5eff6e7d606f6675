import { milliseconds } from '../../history/moments.js';
import { coverageOf, sumOfCoverages, type Coverage } from '../report/coverage.js';
import type { Trial } from './trial.js';

/** How much one or more trials have covered. */
export interface Figures {
  readonly seeds: number;
  readonly grants: number;
  /** Faults that have struck. */
  readonly faults: number;
  /** ms of the simulation. */
  readonly virtualMs: number;
  readonly events: number;
  readonly coverage: Coverage;
}

export const NOTHING: Figures = { seeds: 0, grants: 0, faults: 0, virtualMs: 0, events: 0, coverage: {} };

export function figuresOf({ run: { history, events } }: Trial): Figures {
  return {
    seeds: 1,
    grants: history.events.filter(({ what }) => what === 'granted').length,
    faults: history.faults.filter(({ struck }) => struck).length,
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
    virtualMs: a.virtualMs + b.virtualMs,
    events: a.events + b.events,
    coverage: sumOfCoverages(a.coverage, b.coverage),
  };
}

/** @param realMs how long it has taken */
export function describeFigures(
  { seeds, grants, faults, virtualMs, events }: Figures,
  realMs: number,
): string {
  const perMinute = (count: number): number => Math.round(count / (realMs / 60_000));
  return [
    `${seeds} seeds`,
    `${grants} grants (${perMinute(grants)}/min)`,
    `${faults} faults (${perMinute(faults)}/min)`,
    `${events} events`,
    `${(virtualMs / 60_000).toFixed(1)} min of virtual time in ${(realMs / 60_000).toFixed(1)} min`,
  ].join(', ');
}

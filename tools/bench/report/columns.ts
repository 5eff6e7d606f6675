import { figure, ratio, type Result } from '../measure/result.js';
import type { Sample } from '../measure/sample.js';
import type { Summary } from '../measure/statistics.js';

/** A column of the tables. */
export interface Column {
  readonly title: string;
  /** The text of a cell; undefined if nothing was measured. */
  readonly cell: (result: Result, reference: Result | undefined) => string | undefined;
}

export const COLUMNS: readonly Column[] = [
  { title: 'subject', cell: ({ subject }) => subject.title },
  { title: 'times Curator', cell: (result, reference) => spread(ratio(result, reference)) },
  { title: 'grants/s', cell: (result) => spread(figure(result, 'grantsPerSecond')) },
  { title: 'kill to grant, ms', cell: (result) => spread(figure(result, 'recovery')) },
  { title: 'in session timeouts', cell: (result) => middle(result, 'timeouts') },
  { title: 'p50 ms', cell: (result) => middle(result, 'p50') },
  { title: 'p99 ms', cell: (result) => middle(result, 'p99') },
  { title: 'Jain', cell: (result) => figure(result, 'jain')?.median.toFixed(3) },
  { title: 'client CPU µs', cell: (result) => middle(result, 'clientCpu') },
  { title: 'server CPU µs', cell: (result) => middle(result, 'serverCpu') },
  { title: 'packets in', cell: (result) => middle(result, 'packetsIn') },
  { title: 'packets out', cell: (result) => middle(result, 'packetsOut') },
  { title: 'writes', cell: (result) => middle(result, 'writes') },
  {
    title: 'violations',
    cell: ({ subject, violations }) => (subject.excludes === false ? undefined : String(violations)),
  },
];

function middle(result: Result, metric: keyof Sample): string | undefined {
  const found = figure(result, metric);
  return found && digits(found.median);
}

/** The median, with the extremes. */
function spread(summary: Summary | undefined): string | undefined {
  return summary && `${digits(summary.median)} (${digits(summary.min)}–${digits(summary.max)})`;
}

/** Three digits that count, without an exponent. */
export function digits(value: number): string {
  const magnitude = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(3, Math.max(0, 2 - magnitude)));
}

import { strictlyIncreasing, type DemoResult } from './verify.js';
import type { SaleResult } from './run-sale.js';

type Row = readonly [what: string, unlocked: string, locked: string];

export function tableOf({ unlocked, locked, staleWriter }: DemoResult): string {
  const refused = staleWriter.refused === undefined ? 0 : 1;
  const rows: Row[] = [
    ['', 'without a lock', 'with @Locked'],
    compare('customers (requests)', (sale) => sale.requests),
    compare('seats (capacity)', (sale) => sale.report.capacity),
    compare('tickets sold', (sale) => sale.report.sold),
    compare('oversold by', (sale) => sale.report.oversold),
    compare('sales lost from the seat plan', (sale) => sale.report.lost),
    compare('turned away, sold out (409)', (sale) => sale.report.turnedAway),
    compare('lock grants', (sale) => sale.waits.length || '-'),
    compare('wait for the lock, mean', (sale) => milliseconds(mean(sale.waits))),
    compare('wait for the lock, longest', (sale) => milliseconds(Math.max(...sale.waits))),
    compare('first fencing token', (sale) => sale.tokens[0] ?? '-'),
    compare('last fencing token', (sale) => sale.tokens.at(-1) ?? '-'),
    compare('tokens strictly increasing', (sale) => increasing(sale.tokens)),
    ['stale writes refused by the printer', '-', `${refused} of ${staleWriter.attempts}`],
  ];
  return format(rows);

  function compare(what: string, of: (sale: SaleResult) => number | bigint | string): Row {
    return [what, String(of(unlocked)), String(of(locked))];
  }
}

function format([head, ...rows]: readonly Row[]): string {
  const all = [head!, ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: Row) =>
    `  ${row[0].padEnd(widths[0]!)}   ${row[1].padStart(widths[1]!)}   ${row[2].padStart(widths[2]!)}`;
  return [line(head!), `  ${'-'.repeat(line(head!).length - 2)}`, ...rows.map(line)].join('\n');
}

function increasing(tokens: readonly bigint[]): string {
  if (tokens.length === 0) return '-';
  return strictlyIncreasing(tokens) ? 'yes' : 'NO';
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function milliseconds(value: number): string {
  return Number.isFinite(value) ? `${Math.round(value)} ms` : '-';
}

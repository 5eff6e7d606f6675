import { inspect } from 'node:util';
import type { Option } from '../../lib/locking/option-table.js';
import { codeIn, type Document } from './document.js';

/** The options of an interface, as the source lists them. */
export type Table = Readonly<Record<string, Option<unknown>>>;

/** Option to its cell in a column of the page's table, without the marks of code; empty cells are left out. */
export function optionCells(page: Document, title: string, first = 'option'): Record<string, string> {
  const rows = page.tables(first);
  return Object.fromEntries(
    rows
      .map((row) => [codeIn(row[first])[0]!, row[title]?.replaceAll('`', '') ?? ''] as const)
      .filter(([, text]) => text !== ''),
  );
}

/** Option to its default as code, for those with a default in the source. */
export function literalDefaults(table: Table): Record<string, string> {
  const found = Object.entries(table).filter(([, option]) => 'default' in option);
  return Object.fromEntries(found.map(([name, option]) => [name, literal(option.default)]));
}

function literal(value: unknown): string {
  const isLong = typeof value === 'number' && value >= 10_000;
  return inspect(value, { breakLength: Infinity, numericSeparator: isLong });
}

/** Option to its unit, for those that have one. */
export function units(table: Table): Record<string, string> {
  const found = Object.entries(table).filter(([, { unit }]) => unit !== undefined);
  return Object.fromEntries(found.map(([name, { unit }]) => [name, unit!]));
}

export type Row = readonly [name: string, number: string, more: string];

export function printTable(rows: readonly Row[]): string {
  const wide = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  return rows
    .map(([name, number, more]) =>
      `  ${name.padEnd(wide(0))}  ${number.padStart(wide(1))}  ${more}`.trimEnd(),
    )
    .join('\n');
}

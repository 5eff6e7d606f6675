import { REFERENCE } from '../subjects.js';
import type { Result } from '../measure/result.js';
import { COLUMNS } from './columns.js';

const NOTHING = '–';

/** The results of a workload as a Markdown table, which is readable on a console, too. */
export function resultsTable(results: readonly Result[]): string {
  const reference = results.find(({ subject }) => subject.name === REFERENCE);
  const cells = COLUMNS.map(({ cell }) => results.map((result) => cell(result, reference)));
  const used = COLUMNS.map((_, column) => column).filter((column) =>
    cells[column]!.some((text) => text !== undefined),
  );
  return markdownTable(
    used.map((column) => COLUMNS[column]!.title),
    results.map((_, row) => used.map((column) => cells[column]![row] ?? NOTHING)),
  );
}

/** The first column is aligned to the left, the others to the right. */
function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (row: readonly string[]): string => {
    const padded = row.map((text, column) =>
      column === 0 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map(
    (width, column) => '-'.repeat(column === 0 ? width : width - 1) + (column === 0 ? '' : ':'),
  );
  return [line(header), line(rule), ...rows.map(line)].join('\n');
}

/** What happened to subjects without all their results. */
export function failures(results: readonly Result[]): string[] {
  return results.flatMap(({ subject, failure }) =>
    failure === undefined ? [] : [`${subject.title} failed: ${failure}`],
  );
}

import { writeFile } from 'node:fs/promises';
import { format } from 'oxfmt';
import type { CommandLine } from '../command-line.js';
import type { SetupResults } from '../run-bench.js';
import { drawChart } from './chart.js';
import { document } from './markdown.js';

const DOCUMENT = 'docs/benchmarks.md';
const CHART = 'docs/benchmarks.svg';

/** Writes the page and the chart into the documentation; resolves with their paths. */
export async function writeReport(
  commandLine: CommandLine,
  setups: readonly SetupResults[],
  leftOut: readonly string[],
): Promise<readonly string[]> {
  const text = document(commandLine, setups, leftOut);
  await writeFile(DOCUMENT, (await format(DOCUMENT, text)).code);
  await writeFile(CHART, drawChart(setups));
  return [DOCUMENT, CHART];
}

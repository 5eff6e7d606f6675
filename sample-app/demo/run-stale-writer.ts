import type { PrinterPage, PrinterReport } from '../src/printer/printer-page.interface.js';
import type { BoxOfficeProcess } from './box-office-process.js';
import type { EventLog } from './event-recorder.js';
import { eventually } from './eventually.js';
import { read, send, type Answer } from './http.js';

/** Far longer than the lock's ttl of 1.5 s, so that the other one has printed by then also on a busy machine. */
const PAUSE_MS = 6_000;

export interface StaleWriterResult {
  /** What the paused request was told when its lock was lost. */
  readonly staleAnswer: Answer;
  readonly newerAnswer: Answer;
  /** What the printer did with the stale write. */
  readonly refused: PrinterPage | undefined;
  readonly attempts: number;
}

/** One process takes the printer's lock and is paused; another one gets the lock and prints; then the first wakes up. */
export async function runStaleWriter(
  [paused, other]: readonly BoxOfficeProcess[],
  [pausedLog]: readonly EventLog[],
): Promise<StaleWriterResult> {
  const before = pausedLog!.of('acquired', 'printer').length;
  const stale = send('POST', `${paused!.url}/printer/pages`, { text: 'stale', pauseMs: PAUSE_MS });
  await eventually(
    () => pausedLog!.of('acquired', 'printer').length > before,
    "a grant of the printer's lock",
  );
  const newerAnswer = await send('POST', `${other!.url}/printer/pages`, { text: 'newer' });
  const staleAnswer = await stale;
  const pages = await eventually(async () => {
    const report = await read<PrinterReport>(`${other!.url}/printer`);
    return report.printed + report.refused >= 2 && report.pages;
  }, 'both writes to the printer');
  return {
    staleAnswer,
    newerAnswer,
    refused: pages.find(({ outcome, text }) => outcome === 'refused' && text === 'stale'),
    attempts: 1,
  };
}

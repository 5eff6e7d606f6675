import type { PrinterPage, PrinterReport } from '../src/printer/printer-page.interface.js';
import type { BoxOfficeProcess } from './box-office-process.js';
import type { EventRecorder } from './event-recorder.js';
import { eventually } from './eventually.js';
import { read, send, type Answer } from './http.js';

/** So much longer than the lock's ttl of 1.5 s that the other process has printed by then even on a busy machine. */
const PAUSE_MS = 6_000;

export interface StaleWriterResult {
  /** The response to the paused request, sent when its lock was lost. */
  readonly staleAnswer: Answer;
  readonly newerAnswer: Answer;
  /** The printer's record of the stale write. */
  readonly refused: PrinterPage | undefined;
  readonly attempts: number;
}

/** One process takes the printer's lock and is paused; another gets the lock and prints; then the first one resumes. */
export async function runStaleWriter(
  [paused, other]: readonly BoxOfficeProcess[],
  [pausedLog]: readonly EventRecorder[],
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

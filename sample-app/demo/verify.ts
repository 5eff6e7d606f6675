import type { SaleResult } from './run-sale.js';
import type { StaleWriterResult } from './run-stale-writer.js';

export interface DemoResult {
  readonly unlocked: SaleResult;
  readonly locked: SaleResult;
  readonly staleWriter: StaleWriterResult;
}

/** The problems of a run; empty if the demo succeeded. */
export function verify({ unlocked, locked, staleWriter }: DemoResult): string[] {
  const { report } = locked;
  const grants = locked.waits.length;
  const checks: readonly (readonly [boolean, string])[] = [
    [report.oversold > 0, `with @Locked, ${report.oversold} tickets too many were sold`],
    [locked.sharedSeats > 0, `with @Locked, ${locked.sharedSeats} seats were sold twice`],
    [report.lost > 0, `with @Locked, the seat plan lost ${report.lost} sales`],
    [
      report.sold < report.capacity,
      `with @Locked, only ${report.sold} of ${report.capacity} seats were sold`,
    ],
    [grants !== locked.requests, `${locked.requests} requests with @Locked had ${grants} grants`],
    [!strictlyIncreasing(locked.tokens), 'the fencing tokens did not increase from visit to visit'],
    [locked.unexpected.length > 0, unexpected('with @Locked', locked)],
    [unlocked.unexpected.length > 0, unexpected('without a lock', unlocked)],
    [
      unlocked.report.oversold === 0,
      'without a lock, no tickets were oversold: the demo has shown no difference',
    ],
    [staleWriter.staleAnswer.status !== 500, 'the paused request did not fail when its lock was lost'],
    [staleWriter.newerAnswer.status !== 201, 'the next holder could not print'],
    [staleWriter.refused === undefined, 'the printer accepted a stale write'],
  ];
  return checks.filter(([wrong]) => wrong).map(([, problem]) => problem);
}

export function strictlyIncreasing(tokens: readonly bigint[]): boolean {
  return tokens.length > 0 && tokens.every((token, index) => index === 0 || token > tokens[index - 1]!);
}

function unexpected(where: string, { unexpected: answers }: SaleResult): string {
  return `${where}, ${answers.length} requests failed, the first with ${JSON.stringify(answers[0])}`;
}

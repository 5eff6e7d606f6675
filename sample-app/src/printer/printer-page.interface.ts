/** One sheet in the printer's log: something it was asked to do, and what it did. Tokens in decimal digits. */
export interface PrinterPage {
  readonly number: number;
  readonly outcome: 'printed' | 'refused' | 'newPaper';
  readonly text: string;
  readonly fencingToken: string;
  /** The highest token it has seen, this request included. */
  readonly highestToken: string;
  /** The process that asked. */
  readonly pid: number;
}

export interface PrinterReport {
  readonly highestToken: string;
  readonly printed: number;
  readonly refused: number;
  /** Since the last new paper, newest first. */
  readonly pages: readonly PrinterPage[];
}

/** One entry of the printer's log: a request and its outcome. Tokens are decimal strings. */
export interface PrinterPage {
  readonly number: number;
  readonly outcome: 'printed' | 'refused' | 'reset';
  readonly text: string;
  readonly fencingToken: string;
  /** The highest token it has seen, this request included. */
  readonly highestToken: string;
  /** The process that sent the request. */
  readonly pid: number;
}

export interface PrinterReport {
  readonly highestToken: string;
  readonly printed: number;
  readonly refused: number;
  /** The pages since the last reset, newest first. */
  readonly pages: readonly PrinterPage[];
}

import type { Figures } from '../trial/figures.js';

/** To a process that searches. */
export interface SeedToRun {
  readonly seed: string;
}

/** From it, when the seed has been run. */
export interface SeedThatRan {
  readonly seed: string;
  readonly figures: Figures;
  /** Absent if nothing was violated. */
  readonly failure?: string;
}

export interface FailingSeed {
  readonly seed: string;
  readonly failure: string;
}

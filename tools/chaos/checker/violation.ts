/** The promises of a lock, by their names in the design: see docs/guarantees.md. */
export type Invariant = 'S1' | 'S2' | 'L1' | 'L2' | 'F1' | 'C1';

/** One broken promise. */
export interface Violation {
  readonly invariant: Invariant;
  /** What happened, with its actors. */
  readonly sentence: string;
  readonly at: bigint;
  /** The attempts it is about. */
  readonly attempts: readonly string[];
  /** The processes it is about (`p3`). */
  readonly processes: readonly string[];
}

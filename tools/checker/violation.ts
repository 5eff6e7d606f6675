/** What a lock guarantees; see docs/guarantees.md and tools/checker/README.md. */
export type Invariant = 'S1' | 'S2' | 'L1' | 'L2' | 'F1' | 'J1' | 'C1';

/** One violation of an invariant. */
export interface Violation {
  readonly invariant: Invariant;
  /** What happened, and to which attempts. */
  readonly sentence: string;
  readonly at: bigint;
  /** The attempts concerned. */
  readonly attempts: readonly string[];
  /** The processes concerned (`p3`). */
  readonly processes: readonly string[];
}

/** What is wrong with one attempt. */
export interface Problem {
  readonly at: bigint;
  /** A sentence without its subject, the attempt. */
  readonly what: string;
}

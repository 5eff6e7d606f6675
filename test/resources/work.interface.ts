import type { LockModuleOptions } from 'nestjs-locked';

/** What a resource process does, cycle after cycle, on lock services that stay open. */
export interface Work {
  /** Resolves when so many cycles have ended, and with them all that they started in this process. */
  run(cycles: number): Promise<void>;
  /** What the cycles have met so far, to show that they were what they are called. */
  readonly counts: Readonly<Record<string, number>>;
  /** Signals of the user on which nobody should listen any more. */
  readonly signals: readonly AbortSignal[];
  /** Lets go of everything. */
  close(): Promise<void>;
}

export type WorkName = 'contendedCycles' | 'abortedWaits' | 'reconnects';

export type StartWork = (options: LockModuleOptions, cut: () => void) => Promise<Work>;

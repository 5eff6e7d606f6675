import type { LockModuleOptions } from 'nestjs-locked';

/** The work of a resource process, in cycles, on lock services that stay open. */
export interface Work {
  /** Resolves when `cycles` cycles have ended, including everything that they started in this process. */
  run(cycles: number): Promise<void>;
  /** Counts of what happened in the cycles so far, to show that they did what their name says. */
  readonly counts: Readonly<Record<string, number>>;
  /** Signals of the user that should have no listeners any more. */
  readonly signals: readonly AbortSignal[];
  /** Releases everything. */
  close(): Promise<void>;
}

export type WorkName = 'contendedCycles' | 'abortedWaits' | 'reconnects';

export type StartWork = (options: LockModuleOptions, cut: () => void) => Promise<Work>;

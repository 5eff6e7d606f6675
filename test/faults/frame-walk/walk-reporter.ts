import type { Reporter, TestModule } from 'vitest/node';

/** The result of the walk through one conversation. */
export interface WalkCount {
  readonly conversation: string;
  /** Faults that can be injected into its frames. */
  readonly faults: number;
  readonly walked: number;
  /** Faults whose frame was seen. */
  readonly struck: number;
}

declare module 'vitest' {
  interface TaskMeta {
    walk?: WalkCount;
  }
}

/** Prints the counts of the frame walk for each kind of server at the end of a run, below the summary of vitest. */
export class WalkReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const project of new Set(modules.map((module) => module.project))) {
      const tests = modules
        .filter((module) => module.project === project)
        .flatMap(({ children }) => [...children.allTests()]);
      const counts = tests.flatMap((test) => test.meta().walk ?? []);
      if (counts.length === 0) continue;
      console.log(
        `The frame walk, server: ${project.name}\n${[...counts, total(counts)].map(line).join('\n')}\n`,
      );
    }
  }
}

/** The sums of all conversations. */
export function total(counts: readonly WalkCount[]): WalkCount {
  const sum = (of: 'faults' | 'walked' | 'struck'): number => counts.reduce((all, one) => all + one[of], 0);
  return { conversation: 'all', faults: sum('faults'), walked: sum('walked'), struck: sum('struck') };
}

function line({ conversation, faults, walked, struck }: WalkCount): string {
  return `  ${conversation.padEnd(20)}  ${pad(walked)} of ${pad(faults)} faults walked, ${pad(struck)} struck`;
}

function pad(count: number): string {
  return String(count).padStart(4);
}

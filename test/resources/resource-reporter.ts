import type { Reporter, TestModule } from 'vitest/node';

declare module 'vitest' {
  interface TaskMeta {
    /** The resources before and after the cycles of a test. */
    resources?: string;
  }
}

/** Prints the measurements at the end of a run, below the summary of vitest, one line for each test. */
export class ResourceReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const lines = tests.flatMap((test) => test.meta().resources ?? []);
    if (lines.length > 0) console.log(`Resources over time\n${lines.map((line) => `  ${line}\n`).join('')}`);
  }
}

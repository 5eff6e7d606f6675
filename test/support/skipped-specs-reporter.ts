import type { Reporter } from 'vitest/node';

/** Prints, at the end of the run, which specs were skipped because no real server was found, and the fix. */
export class SkippedSpecsReporter implements Reporter {
  constructor(private readonly reason: string | undefined) {}

  onTestRunEnd(): void {
    if (this.reason === undefined) return;
    console.log(
      `NOT RUN on a real ZooKeeper: ${this.reason}\nAll *.zookeeper.spec.ts were skipped, and *.server.spec.ts ran on the embedded server only.\n`,
    );
  }
}

import type { Reporter } from 'vitest/node';

/** Says at the very end what has not been run for want of a real server, and what to do about it. */
export class SkippedSpecsReporter implements Reporter {
  constructor(
    private readonly reason: string | undefined,
    private readonly specs: readonly string[],
  ) {}

  onTestRunEnd(): void {
    if (this.reason === undefined) return;
    const list = this.specs.map((spec) => `  ${spec}`).join('\n');
    console.log(
      `NOT RUN on a real ZooKeeper: ${this.reason}\nThese ${this.specs.length} suites were skipped, or ran on the embedded server alone:\n${list}\n`,
    );
  }
}

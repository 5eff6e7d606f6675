import { Findings, type Parameters, type Scenario } from './scenario.js';

/** A scenario at another size than its full one; resolves with the expectations that it did not meet, times aside. */
export async function failuresOf<P extends Parameters>(
  { run, defaults }: Scenario<P>,
  parameters: Partial<P>,
): Promise<readonly string[]> {
  const findings = new Findings((line) => console.log(line));
  await run({ ...defaults, ...parameters }, findings);
  return findings.failures;
}

import { Findings, type Parameters, type Scenario } from './scenario.js';

/** Runs a scenario with other parameters; resolves with the expectations that were not met, except those about time. */
export async function failuresOf<P extends Parameters>(
  { run, defaults }: Scenario<P>,
  parameters: Partial<P>,
): Promise<readonly string[]> {
  const findings = new Findings((line) => console.log(line));
  await run({ ...defaults, ...parameters }, findings);
  return findings.failures;
}

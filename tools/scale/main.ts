import '../../test/support/strict-processes.js';
import { parseCommandLine, usage } from './command-line.js';
import { Findings } from './scenario.js';

/** The exit code: 0 if all expectations were met, 1 if one was not, 2 if there was no run. */
async function main(args: readonly string[]): Promise<number> {
  let commandLine;
  try {
    commandLine = parseCommandLine(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage()}`);
    return 2;
  }
  const { scenario, parameters } = commandLine;
  const findings = new Findings((line) => console.log(line));
  console.log(`${scenario.name} ${JSON.stringify(parameters)}`);
  try {
    await scenario.run(parameters, findings);
  } finally {
    console.table(findings.figures.map(([figure, value]) => ({ figure, value })));
  }
  const failures = [...findings.failures, ...findings.slow];
  for (const failure of failures) console.log(`FAILED ${failure}`);
  console.log(failures.length === 0 ? 'All expectations were met.' : `${failures.length} failed`);
  return failures.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  return 2;
});

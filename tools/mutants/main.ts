import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sabotaged, type Sabotage } from './mutant.js';
import { SABOTAGES } from './mutants.js';

/** What vitest's JSON report says, as far as it matters here. */
interface Report {
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * Undoes one handling of a hazard after the other in a copy of the project, and expects the specs that guard it to fail:
 * a spec that passes on the sabotaged library guards nothing.
 */
function main(names: readonly string[]): void {
  const chosen = SABOTAGES.filter(({ name }) => names.length === 0 || names.includes(name));
  // All of them first: code that has moved on shows within a second.
  for (const sabotage of chosen) sabotaged(readFileSync(sabotage.file, 'utf8'), sabotage);
  const copy = copyProject();
  try {
    if (!build(copy)) throw new Error('The project does not compile.');
    const unnoticed = chosen.filter((sabotage) => !isNoticed(sabotage, copy));
    console.info(`\n${chosen.length - unnoticed.length} passed, ${unnoticed.length} failed`);
    process.exitCode = unnoticed.length === 0 && chosen.length > 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The files git knows or would know, as they are in the working tree. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'sabotage-'));
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter((name) => name !== '')) {
    cpSync(file, join(copy, file), { recursive: true });
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function isNoticed(sabotage: Sabotage, copy: string): boolean {
  const path = join(copy, sabotage.file);
  const original = readFileSync(path, 'utf8');
  try {
    writeFileSync(path, sabotaged(original, sabotage));
    if (!build(copy)) {
      throw new Error(`'${sabotage.name}' does not compile: its specs would fail for the wrong reason`);
    }
    const failures = failedTests(copy, sabotage.specs);
    console.info(`${failures.length > 0 ? 'noticed  ' : 'UNNOTICED'} ${sabotage.name}: ${sabotage.undoes}`);
    for (const failure of failures) console.info(`            ${failure}`);
    return failures.length > 0;
  } finally {
    writeFileSync(path, original);
  }
}

function failedTests(copy: string, specs: readonly string[]): string[] {
  const report = join(copy, 'report.json');
  run(copy, 'npx', ['vitest', 'run', ...specs, '--reporter=json', `--outputFile=${report}`]);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  rmSync(report);
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => fullName.trim());
}

/** What the specs run, compiled; of a change, only what it concerns. True if it compiles. */
function build(copy: string): boolean {
  return ['tsconfig.build.json', 'tsconfig.programs.json'].every((project) =>
    run(copy, 'node_modules/.bin/tsc', ['--incremental', '--project', project]),
  );
}

/** True if the command succeeded. */
function run(directory: string, command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { cwd: directory, stdio: 'ignore' }).status === 0;
}

main(process.argv.slice(2));

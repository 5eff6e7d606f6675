import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCommandLine, USAGE } from './command-line.js';
import { mutated, type Mutant } from './mutant.js';

/** The fields of vitest's JSON report that are used here. */
interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Specs that take longer hang because of the mutant: without one, none takes a quarter of it. */
const LIMIT_S = 240;

/** Exit codes of `timeout`: the command ended when it was told to, or had to be killed. */
const TIMED_OUT: ReadonlySet<number | null> = new Set([124, 137]);

/**
 * Applies each mutant to a copy of the project and expects at least one of its specs to fail: a spec that passes on the
 * mutated library guards nothing.
 */
function main(args: readonly string[]): void {
  const chosen = parseCommandLine(args);
  // Before the first build: a mutant that no longer fits its file is found within a second.
  for (const mutant of chosen) mutated(readFileSync(mutant.file, 'utf8'), mutant);
  const copy = copyProject();
  try {
    if (!build(copy)) throw new Error('The project does not compile.');
    assertPasses(copy, chosen);
    const survivors = chosen.filter((mutant) => !isKilled(mutant, copy));
    console.info(`\n${chosen.length - survivors.length} killed, ${survivors.length} not`);
    process.exitCode = survivors.length === 0 ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Copies all files of the working tree that git does not ignore. */
function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutant-'));
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter((name) => name !== '')) {
    cpSync(file, join(copy, file), { recursive: true });
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** A test that fails without a mutant too would count as its killer. */
function assertPasses(copy: string, mutants: readonly Mutant[]): void {
  const files = mutants.flatMap(({ specs }) => specs.filter((argument) => argument.startsWith('test/')));
  if (files.length === 0) return;
  const failures = failedTests(copy, [...new Set(files)], 4 * LIMIT_S);
  if (failures.length > 0) throw new Error(`Without a mutant, these fail too:\n${failures.join('\n')}`);
}

/** True if a spec fails on the mutant. */
function isKilled(mutant: Mutant, copy: string): boolean {
  const path = join(copy, mutant.file);
  const original = readFileSync(path, 'utf8');
  try {
    writeFileSync(path, mutated(original, mutant));
    if (!build(copy)) {
      console.info(`NO BUILD ${mutant.name}: its specs would fail for the wrong reason`);
      return false;
    }
    // One failure is enough; the specs after it often wait for their limits as well.
    const failures = failedTests(copy, ['--bail', '1', ...mutant.specs], LIMIT_S);
    console.info(`${failures.length > 0 ? 'killed  ' : 'SURVIVED'} ${mutant.name}: ${mutant.undoes}`);
    for (const failure of failures) console.info(`           ${failure}`);
    return failures.length > 0;
  } finally {
    writeFileSync(path, original);
  }
}

/** The tests that fail, each with the first line of its error, or one sentence if the specs do not end. */
function failedTests(copy: string, args: readonly string[], limitS: number): string[] {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const vitest = ['vitest', 'run', ...args, '--reporter=json', `--outputFile=${report}`];
  // Unlike the option of `spawnSync`, the command ends the workers and the servers as well.
  const { status } = run(copy, 'timeout', ['--kill-after=10', String(limitS), 'npx', ...vitest]);
  if (TIMED_OUT.has(status)) return [`The specs did not end within ${limitS} s.`];
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages: [error = ''] }) => `${fullName.trim()}: ${error.split('\n', 1)[0]}`);
}

/** Compiles the library and the programs that specs run, incrementally. True if they compile. */
function build(copy: string): boolean {
  // A mutant may leave code behind that nobody uses.
  const options = ['--incremental', '--noUnusedLocals', 'false', '--noUnusedParameters', 'false'];
  const compile = (project: string): boolean =>
    succeeds(copy, 'node_modules/.bin/tsc', [...options, '--project', project]);
  // Without the mark, the programs could not load the library, and specs would fail that start them.
  return (
    compile('tsconfig.build.json') &&
    succeeds(copy, 'scripts/mark-commonjs', []) &&
    compile('tsconfig.programs.json') &&
    succeeds(copy, 'node_modules/.bin/rolldown', ['-c'])
  );
}

function succeeds(directory: string, command: string, args: readonly string[]): boolean {
  return run(directory, command, args).status === 0;
}

function run(directory: string, command: string, args: readonly string[]): { status: number | null } {
  return spawnSync(command, args, { cwd: directory, stdio: 'ignore' });
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  process.exitCode = 2;
}

import { parseArgs } from 'node:util';
import { availableParallelism } from 'node:os';
import { checkStart } from './check-start.js';
import { CONSUMERS, type Consumer } from './consumers.js';
import { followReadme } from './newcomer.js';
import { run } from './program.js';
import { assertUntouched } from './scaffold.js';
import { Workspace } from './workspace.js';

const NEWCOMER = 'newcomer';
/** The summaries of test runners. */
const COUNTS = /^(Tests: .*|\s*Tests {2}.*|# pass \d+)$/gm;

interface Task {
  readonly name: string;
  run(): Promise<void>;
}

/** Packs the package and uses it in all kinds of applications. The exit code is 0 if all of them succeeded. */
async function main(args: string[]): Promise<number> {
  const { positionals: names } = parseArgs({ args, allowPositionals: true });
  const known = [...CONSUMERS.map(({ name }) => name), NEWCOMER];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new TypeError(`No consumer is called ${unknown.join()}. There are ${known.join(', ')}.`);
  const chosen = (name: string) => names.length === 0 || names.includes(name);
  const consumers = CONSUMERS.filter(({ name }) => chosen(name));

  using workspace = new Workspace();
  await workspace.pack();
  const installs = new Set(consumers.map(({ install }) => install));
  // The packages of Nest 11 write all scaffolds; that of the newcomer uses Nest 12.
  if (consumers.some(({ scaffold }) => scaffold !== undefined)) installs.add('nest11');
  if (chosen(NEWCOMER)) installs.add('nest11').add('nest12');
  const failedInstalls = await runAll(
    [...installs].map((name) => ({ name: `install ${name}`, run: () => workspace.install(name) })),
  );
  if (failedInstalls > 0) return 1;
  const tasks: Task[] = consumers.map((consumer) => ({
    name: consumer.name,
    run: () => check(consumer, workspace),
  }));
  if (chosen(NEWCOMER)) tasks.unshift({ name: NEWCOMER, run: () => followReadme(workspace) });
  const failed = await runAll(tasks);
  console.log(`${tasks.length - failed} consumers passed, ${failed} failed, on Node ${process.version}`);
  return failed === 0 ? 0 : 1;
}

async function check(consumer: Consumer, workspace: Workspace): Promise<void> {
  const cwd = workspace.unfold(consumer);
  if (consumer.scaffold !== undefined) {
    await assertUntouched(workspace.directory, consumer.scaffold, cwd);
    console.log(`  ${consumer.name}: configuration as its scaffold wrote it`);
  }
  for (const command of consumer.commands) {
    const output = await run(command, { cwd });
    console.log(
      `  ${consumer.name}: ${command}${(output.match(COUNTS) ?? []).map((count) => `, ${count.trim()}`).join('')}`,
    );
  }
  for (const program of consumer.starts) {
    await checkStart(program, cwd);
    console.log(`  ${consumer.name}: node ${program} answered and exited`);
  }
}

/** Runs one task per processor concurrently; resolves with the number of failures. */
async function runAll(tasks: readonly Task[]): Promise<number> {
  const left = [...tasks];
  let failed = 0;
  const work = async () => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) {
      const begin = performance.now();
      const end = await task.run().then(
        () => 'ok',
        (error: unknown) => {
          failed++;
          return `FAILED\n${error instanceof Error ? error.message : String(error)}`;
        },
      );
      console.log(`${task.name} (${((performance.now() - begin) / 1_000).toFixed(1)} s): ${end}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return failed;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  return 2;
});

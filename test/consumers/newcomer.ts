import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answersHttp } from '../support/answers-http.js';
import { eventually } from '../support/eventually.js';
import { freePort, isFree } from '../support/free-port.js';
import { Program, run } from './program.js';
import { readQuickStart } from './quick-start.js';
import { writeScaffold } from './scaffold.js';
import type { Workspace } from './workspace.js';

/** The duration of a request in the program of the README, and the time that a request may wait for its lock. */
const WORK_S = 3;
const WAIT_S = 5;
const TOLERANCE_S = 0.1;

/**
 * Follows the README's quick start in an application that Nest has just generated, with the commands and the program of
 * the README. Two things differ: the package is the packed one, and ports in use are replaced.
 */
export async function followReadme(workspace: Workspace): Promise<void> {
  const cwd = await newApplication(workspace);
  const zooKeeperPort = await portLike(2181);
  const port = await portLike(3000);
  const adapt = (text: string) =>
    text
      .replaceAll('localhost:2181', `localhost:${zooKeeperPort}`)
      .replaceAll('localhost:3000', `localhost:${port}`);
  const quickStart = readQuickStart(readFileSync('README.md', 'utf8'));

  for (const line of quickStart.install)
    await run(line.replace(/\bnestjs-locked\b/, `'${workspace.tarball}'`), { cwd });
  const portOption = zooKeeperPort === 2181 ? '' : ` --port ${zooKeeperPort}`;
  await using zookeeper = Program.start('bash', ['-c', quickStart.zookeeper + portOption], { cwd });
  await zookeeper.prints(/Ctrl-C to stop it/);
  writeFileSync(join(cwd, quickStart.fileName), adapt(quickStart.program));
  await using application = Program.start('bash', ['-c', quickStart.start], {
    cwd,
    env: { PORT: String(port) },
  });
  await application.prints(/Nest application successfully started/);
  await eventually(() => answersHttp(port), { describe: 'the application' });

  const requests = adapt(quickStart.requests);
  expectQueue(await run(`${requests}\nwait`, { cwd }));
  const url = present(/localhost:\d+\/\S+/.exec(requests)?.[0], 'an address in the requests of README.md');
  await expectBusy(`http://${url}`);
}

/** An application as `nest new` creates it, with locked versions of its dependencies. */
async function newApplication(workspace: Workspace): Promise<string> {
  const directory = join(workspace.directory, 'newcomer');
  mkdirSync(directory);
  cpSync(
    await writeScaffold(workspace.directory, 'nest12/node_modules/@nestjs/schematics', 'newcomer'),
    directory,
    {
      recursive: true,
    },
  );
  const { scripts } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    scripts: object;
  };
  await workspace.installLocked('nest12', directory);
  const locked = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as object;
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ ...locked, scripts }, null, 2));
  return directory;
}

async function portLike(preferred: number): Promise<number> {
  return (await isFree(preferred)) ? preferred : await freePort();
}

/** The first is answered when its work is done, the second when it has waited for that and done its work. */
function expectQueue(printed: string): void {
  const seconds = [...printed.matchAll(/is paid after (\d+)[.,](\d+) s/g)]
    .map(([, whole, fraction]) => Number(`${whole}.${fraction}`))
    .sort((a, b) => a - b);
  const [first = 0, second = 0] = seconds;
  const queued = first >= WORK_S - TOLERANCE_S && second - first >= WORK_S - TOLERANCE_S * 10;
  if (seconds.length !== 2 || !queued)
    throw new Error(`The requests of README.md have not queued:\n${printed}`);
}

/** "Send three, and the last one has waited for 5 seconds when it is answered 423 Locked, with Retry-After: 1." */
async function expectBusy(url: string): Promise<void> {
  const begin = performance.now();
  const answers = await Promise.all(
    [1, 2, 3].map(async () => {
      const { status, headers } = await fetch(url, { method: 'POST' });
      return { status, retryAfter: headers.get('Retry-After'), afterS: (performance.now() - begin) / 1_000 };
    }),
  );
  const busy = answers.filter(({ status }) => status !== 201);
  const [last] = busy;
  const timedOut = last?.status === 423 && last.retryAfter === '1' && last.afterS >= WAIT_S - TOLERANCE_S;
  if (busy.length !== 1 || !timedOut)
    throw new Error(`Three requests were answered ${JSON.stringify(answers)}`);
}

function present(text: string | undefined, what: string): string {
  if (text === undefined) throw new Error(`There is no ${what}`);
  return text;
}

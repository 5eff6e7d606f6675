import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CrashGuard } from '../../lib/zookeeper/guard/crash-guard.js';
import { builtProgram } from '../support/built-program.js';
import { eventually } from '../support/eventually.js';
import { FakeClock, settled } from './fake-clock.js';

let directory: string;
let warnings: string[];
let guard: CrashGuard | undefined;
const clock = new FakeClock();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guard-'));
  warnings = [];
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await guard?.close();
  guard = undefined;
  await rm(directory, { recursive: true });
});

function open(program: string): void {
  guard = new CrashGuard({ clock, servers: [], auth: [], program: async () => program });
  guard.open((message) => warnings.push(message));
}

test('a program that a bundler has left out is reported with what to do', async () => {
  open('/bundle/guard-process.js');
  await settled();
  await guard?.close();

  expect(warnings).toEqual([
    'The crash guard cannot start: its program /bundle/guard-process.js does not exist. If the application is bundled, ' +
      'leave `nestjs-locked` out of the bundle, as an external package; or turn the module option `crashGuard` off. ' +
      'Without a guard, the locks of this process stay taken for the session timeout if it is killed',
  ]);
});

test.each([
  [
    'whose executable has started it in place of a guard',
    () => vi.stubEnv('NESTJS_LOCKED_GUARD', '1'),
    'has started the application again',
  ],
  [
    "with Yarn Plug'n'Play",
    () => vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...process.versions, pnp: '3' }),
    'Set `nodeLinker: node-modules` in .yarnrc.yml',
  ],
  [
    'that is a single executable',
    () => vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ isSea: () => true }),
    'cannot run another program',
  ],
])('a process %s has no guard, and says so', async (_name, set, why) => {
  const program = join(directory, 'guard.cjs');
  await writeFile(program, '');
  set();
  open(program);
  await settled();
  await guard?.close();

  expect(warnings).toEqual([
    expect.stringMatching(/^The crash guard cannot start: .*Turn the module option `crashGuard` off/),
  ]);
  expect(warnings[0]).toContain(why);
});

test('a guard that ends is replaced each time, after longer and longer pauses, and reported once', async () => {
  const program = join(directory, 'guard.cjs');
  await writeFile(program, 'process.exit(3)');
  open(program);
  for (const pause of [500, 1_000, 2_000]) {
    await eventually(() => clock.nextTimerIn !== undefined);
    expect(clock.nextTimerIn).toBe(pause);
    clock.advance(pause);
  }
  await guard?.close();

  expect(warnings).toEqual([
    'The crash guard ended (exit code 3) and is being replaced. ' +
      'Without a guard, the locks of this process stay taken for the session timeout if it is killed',
  ]);
});

test('a guard that has lasted is replaced soon when it ends, and reported again', async () => {
  const program = join(directory, 'guard.cjs');
  const started = join(directory, 'started');
  await writeFile(
    program,
    `require('node:fs').appendFileSync(${JSON.stringify(started)}, process.pid + '\\n'); process.stdin.resume();`,
  );
  open(program);
  const pids = async () => (existsSync(started) ? (await readFile(started, 'utf8')).trim().split('\n') : []);
  for (const count of [1, 2]) {
    const pid = await eventually(async () => (await pids())[count - 1] ?? false);
    clock.advance(60_001);
    process.kill(Number(pid), 'SIGKILL');
    await eventually(() => clock.nextTimerIn !== undefined);
    expect(clock.nextTimerIn).toBe(500);
    expect(warnings).toHaveLength(count);
    clock.advance(500);
  }
});

test('a guard that the system refuses to start is started later', async () => {
  const program = join(directory, 'guard.cjs');
  await writeFile(program, 'process.stdin.resume();');
  // Such arguments are refused by an exception.
  vi.spyOn(process, 'execArgv', 'get').mockReturnValue(['--use-openssl-ca\0']);
  open(program);
  await eventually(() => clock.nextTimerIn !== undefined);
  expect(warnings).toEqual([expect.stringContaining('The crash guard ended (The argument')]);
  vi.restoreAllMocks();
  clock.advance(500);
  await settled();
  expect(clock.nextTimerIn).toBeUndefined();
  await guard?.close();
});

test('a guard that cannot be started for lack of file descriptors is started later, and ends nothing', async () => {
  const program = join(directory, 'guard.cjs');
  await writeFile(program, 'process.stdin.resume();');
  const script = `
    import { closeSync, openSync } from 'node:fs';
    import { CrashGuard } from ${JSON.stringify(pathToFileURL(builtProgram('lib/zookeeper/guard/crash-guard')))};
    import { SystemClock } from ${JSON.stringify(pathToFileURL(builtProgram('lib/locking/clock')))};
    const guard = new CrashGuard({
      clock: new SystemClock(), servers: [], auth: [], program: async () => ${JSON.stringify(program)},
    });
    const open = [];
    try { for (;;) open.push(openSync('/dev/null')); } catch (error) { console.log(error.code); }
    guard.open((warning) => {
      console.log(warning);
      for (const one of open) closeSync(one);
      setTimeout(async () => { await guard.close(); console.log('closed'); }, 1_000);
    });`;
  const limited = `ulimit -n 64; exec "$0" --input-type=module --eval "$1"`;
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', limited, process.execPath, script]);
  expect(stdout.split('\n')).toEqual([
    'EMFILE',
    expect.stringMatching(/^The crash guard ended \(spawn .* EMFILE\) and is being replaced/),
    'closed',
    '',
  ]);
});

test('a guard that does not react is ended by close, and not replaced', async () => {
  const program = join(directory, 'guard.cjs');
  const started = join(directory, 'started');
  await writeFile(
    program,
    `process.stdin.resume(); require('node:fs').writeFileSync(${JSON.stringify(started)}, String(process.pid)); for (;;);`,
  );
  open(program);
  await eventually(() => existsSync(started));
  await guard?.close();

  expect(warnings).toEqual([]);
  expect(clock.timers).toBe(0);
});

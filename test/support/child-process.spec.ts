import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { builtProgram } from './built-program.js';
import { GuardedProcess } from './child-process.js';
import { eventually } from './eventually.js';

/** Also false for a zombie: an orphan may never be reaped. */
async function isRunning(pid: number): Promise<boolean> {
  const ps = spawn('ps', ['-o', 'stat=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
  let state = '';
  ps.stdout.on('data', (chunk: Buffer) => (state += chunk.toString()));
  await once(ps, 'close');
  return state !== '' && !state.startsWith('Z');
}

/** A letter for each thread: R running, S sleeping, T stopped. */
function threadStates(pid: number): string {
  const threads = readdirSync(`/proc/${pid}/task`);
  const states = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'));
  return states.map((status) => /^State:\s(\w)/m.exec(status)?.[1]).join('');
}

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guarded-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('kill ends a process that SIGSTOP has stopped', async () => {
  const options = { logFile: join(directory, 'log'), temporaryDirectory: directory };
  const child = await GuardedProcess.start('sleep', ['600'], options);
  expect(await isRunning(child.pid)).toBe(true);
  child.signal('SIGSTOP');
  await child.kill();
  await child.kill();
  expect(child.running).toBe(false);
  expect(await isRunning(child.pid)).toBe(false);
  expect(existsSync(directory)).toBe(true);
});

test.skipIf(!existsSync('/proc/self/task'))(
  'SIGSTOP: all threads are stopped when signal returns',
  async () => {
    const options = { logFile: join(directory, 'log'), temporaryDirectory: directory };
    // Node has several threads from its start.
    const child = await GuardedProcess.start(process.execPath, ['-e', 'setInterval(() => {}, 1)'], options);
    for (let round = 0; round < 20; round += 1) {
      child.signal('SIGSTOP');
      expect(threadStates(child.pid)).toMatch(/^T+$/);
      child.signal('SIGCONT');
    }
    await child.kill();
  },
);

test('start rejects if the program cannot be started', async () => {
  const options = { logFile: join(directory, 'log'), temporaryDirectory: directory };
  await expect(GuardedProcess.start('/no/such/program', [], options)).rejects.toMatchObject({
    code: 'ENOENT',
  });
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'after a parent was killed by %s, its process and files are removed',
  async (signal) => {
    const parent = await startParent();
    const pid = Number(await once(parent.stdout, 'data'));
    expect(await isRunning(pid)).toBe(true);
    parent.kill(signal);
    await eventually(async () => !(await isRunning(pid)), { describe: 'the process to end' });
    await eventually(() => !existsSync(join(directory, 'files')), { describe: 'the files to go' });
  },
);

/** Another Node process that uses the class, and prints the pid of the process it has started. */
async function startParent() {
  await mkdir(join(directory, 'files'));
  const program = `
    import { GuardedProcess } from '${pathToFileURL(builtProgram('test/support/child-process')).href}';
    const child = await GuardedProcess.start('sleep', ['600'], { logFile: 'log', temporaryDirectory: '${directory}/files' });
    console.log(child.pid);`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

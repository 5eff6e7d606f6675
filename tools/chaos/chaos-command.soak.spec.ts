import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../../test/support/built-program.js';
import { eventually } from '../../test/support/eventually.js';
import { findZooKeeper } from '../../test/support/zookeeper-installation.js';

const run = promisify(execFile);
const compiled = (module: string): string => builtProgram(`tools/chaos/${module}`);
const TIMEOUT_MS = 180_000;

// A run that fails because no ZooKeeper installation was found would leave no process either.
beforeAll(() => void findZooKeeper());

async function plan(seed: number): Promise<string> {
  const { stdout } = await run(process.execPath, [compiled('main'), '--seed', String(seed), '--plan']);
  return stdout;
}

test('two processes plan the same for the same seed, up to the hash', async () => {
  const [first, second, other] = await Promise.all([plan(7), plan(7), plan(8)]);

  expect(first).toMatch(/\nschedule [0-9a-f]{64} \(seed 7, \d+ faults\)\n$/);
  expect(second).toBe(first);
  expect(other).not.toBe(first);
});

test.each([
  ['interrupted', 'SIGINT', 2, 'The run was ended by SIGINT.\n'],
  ['killed', 'SIGKILL', null, ''],
] as const)(
  'a run that is %s leaves no process behind',
  { timeout: TIMEOUT_MS },
  async (_what, signal, expectedCode, message) => {
    const directory = await mkdtemp(join(tmpdir(), 'ended-run-'));
    onTestFinished(() => rm(directory, { recursive: true, maxRetries: 5 }));
    const chaos = spawn(process.execPath, [compiled('main'), '--seed', '7', '--minutes', '1'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: directory },
    });
    onTestFinished(() => void chaos.kill('SIGKILL'));
    let [output, errors] = ['', ''];
    chaos.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    chaos.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    await eventually(() => output.includes('processes are running'), { timeoutMs: TIMEOUT_MS / 2 });
    const started = await eventually(async () => {
      const children = await childrenOf(chaos.pid!);
      // Three servers, the guarded resource and six workers, each with an orphan killer; a fault may just have killed one.
      return children.length >= 20 && children;
    });
    chaos.kill(signal);
    const [code] = (await once(chaos, 'exit')) as [number | null];

    expect(code).toBe(expectedCode);
    // Its children share its output and exit later.
    await eventually(() => expect(errors).toBe(message));
    await eventually(async () => expect(await running(started)).toEqual([]));
  },
);

test('a run that hangs is ended with code 2', async () => {
  const hanging = `
    import { Watchdog } from '${compiled('watchdog')}';
    new Watchdog(100, 100).progress('the last line');
    setInterval(() => {}, 1_000);`;
  const ended = run(process.execPath, ['--input-type=module', '--eval', hanging], {
    timeout: TIMEOUT_MS / 4,
  });

  await expect(ended).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the last line') as string,
  });
});

async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await run('ps', ['--ppid', String(parent), '-o', 'pid=']);
  return stdout.trim().split('\n').map(Number);
}

async function running(pids: readonly number[]): Promise<number[]> {
  const { stdout } = await run('ps', ['-e', '-o', 'pid=']);
  const alive = new Set(stdout.trim().split('\n').map(Number));
  return pids.filter((pid) => alive.has(pid));
}

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { builtProgram } from '../../test/support/built-program.js';
import { eventually } from '../../test/support/eventually.js';

const run = promisify(execFile);
const TIMEOUT_MS = 180_000;

test.each([
  ['interrupted', 'SIGINT', 2, 'The run was ended by SIGINT.\n'],
  ['killed', 'SIGKILL', null, ''],
] as const)(
  'a run that is %s leaves no process behind',
  { timeout: TIMEOUT_MS },
  async (_what, signal, expectedCode, message) => {
    const directory = await mkdtemp(join(tmpdir(), 'ended-run-'));
    onTestFinished(() => rm(directory, { recursive: true, maxRetries: 5 }));
    const chaos = spawn(
      process.execPath,
      [builtProgram('tools/chaos/main'), '--seed', '7', '--minutes', '1'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, TMPDIR: directory },
      },
    );
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

async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await run('ps', ['--ppid', String(parent), '-o', 'pid=']);
  return stdout.trim().split('\n').map(Number);
}

async function running(pids: readonly number[]): Promise<number[]> {
  const { stdout } = await run('ps', ['-e', '-o', 'pid=']);
  const alive = new Set(stdout.trim().split('\n').map(Number));
  return pids.filter((pid) => alive.has(pid));
}

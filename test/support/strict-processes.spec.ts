import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LockProcess } from './lock-process.js';

const run = promisify(execFile);

/** Below the repository, so that vitest is found. */
const SLIPS = join('build', `slips-${process.pid}`);

/** All that this project says of its tests but which there are. */
const CONFIG = `import { defineConfig } from 'vitest/config';
import { SHARED } from '../../vitest.config.js';
export default defineConfig({ test: { ...SHARED, include: ['build/slips-${process.pid}/slip.spec.ts'] } });
`;

const REJECTION = `void Promise.reject(new Error('a slip on purpose'));`;
const WARNING = `for (let i = 0; i < 11; i += 1) process.on('slip', () => i);`;

const SLIP_CASES = [
  ['a rejection that nobody handles', REJECTION, 'a slip on purpose'],
  ['a warning of a leak', WARNING, 'MaxListenersExceededWarning'],
] as const;

describe('the processes of the tests (H46)', { timeout: 300_000 }, () => {
  it.each(SLIP_CASES)('%s fails the run of the tests, though all tests pass', async (_, slip, told) => {
    await expect(vitest(slip)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(told) });
  });

  it('a run without a slip does not fail', async () => {
    expect((await vitest('')).stdout).toContain('1 passed');
  });

  it.each(SLIP_CASES)('%s ends every process that a test starts', async (_, slip, told) => {
    // A handler that swallows does not help.
    const code = `process.on('unhandledRejection', () => {}); ${slip}`;
    await expect(run(process.execPath, ['-e', code])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(told),
    });
  });

  it('a lock process that fails does not fail in silence', async () => {
    const failsWhenCalled = `process.once('message', () => { ${REJECTION} })`;
    const preload = `--import=data:text/javascript,${encodeURIComponent(failsWhenCalled)}`;
    const lockProcess = await LockProcess.start(
      { lazy: true },
      { NODE_OPTIONS: `${process.env['NODE_OPTIONS']} ${preload}` },
    );

    const failure = 'The lock process failed: it ended by itself, with code 1';
    await expect(lockProcess.lock('hold', 'order')).rejects.toThrow(failure);
    await expect(lockProcess[Symbol.asyncDispose]()).rejects.toThrow(failure);
  });
});

/** Runs one test with this body as this project's tests are run. */
async function vitest(body: string): Promise<{ stdout: string }> {
  await mkdir(SLIPS, { recursive: true });
  const config = join(SLIPS, 'vitest.config.ts');
  try {
    await writeFile(config, CONFIG);
    const test = `import { test } from 'vitest';\ntest('slips', async () => { ${body}; await new Promise(setImmediate); });\n`;
    await writeFile(join(SLIPS, 'slip.spec.ts'), test);
    return await run('node_modules/.bin/vitest', ['run', '--config', config], {
      env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
    });
  } finally {
    await rm(SLIPS, { recursive: true, force: true });
  }
}

import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LockProcess } from './lock-process.js';

const run = promisify(execFile);

/** In the repository, so that vitest can be resolved. */
const SLIPS = join('build', `slips-${process.pid}`);

/** The settings of this project's tests, for one spec. */
const CONFIG = `import { defineConfig } from 'vitest/config';
import { SHARED } from '../../vitest.config.js';
export default defineConfig({ test: { ...SHARED, include: ['build/slips-${process.pid}/slip.spec.ts'] } });
`;

const REJECTION = `void Promise.reject(new Error('a slip on purpose'));`;
const WARNING = `for (let i = 0; i < 11; i += 1) process.on('slip', () => i);`;

const SLIP_CASES = [
  ['an unhandled rejection', REJECTION, 'a slip on purpose'],
  ['a leak warning', WARNING, 'MaxListenersExceededWarning'],
] as const;

describe('the processes of the tests (H46)', { timeout: 300_000 }, () => {
  it.each(SLIP_CASES)('%s fails the test run, although all tests pass', async (_, slip, told) => {
    await expect(vitest(slip)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(told) });
  });

  it('a run without a defect does not fail', async () => {
    expect((await vitest('')).stdout).toContain('1 passed');
  });

  it.each(SLIP_CASES)('%s ends every process that a test starts', async (_, slip, told) => {
    // A handler that ignores rejections does not change this.
    const code = `process.on('unhandledRejection', () => {}); ${slip}`;
    await expect(run(process.execPath, ['-e', code])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(told),
    });
  });

  it('the failure of a lock process is reported', async () => {
    const failsWhenCalled = `process.once('message', () => { ${REJECTION} })`;
    const preload = `--import=data:text/javascript,${encodeURIComponent(failsWhenCalled)}`;
    const lockProcess = await LockProcess.start(
      { lazy: true },
      { NODE_OPTIONS: `${process.env['NODE_OPTIONS']} ${preload}` },
    );

    const failure = 'The lock process failed: it exited with code 1';
    await expect(lockProcess.lock('hold', 'order')).rejects.toThrow(failure);
    await expect(lockProcess[Symbol.asyncDispose]()).rejects.toThrow(failure);
  });
});

/** Runs one test with this body and the settings of this project. */
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

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { builtProgram } from '../../test/support/built-program.js';

const run = promisify(execFile);
const compiled = (module: string): string => builtProgram(`tools/chaos/${module}`);

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

test('a run that hangs is ended with code 2', async () => {
  const hanging = `
    import { Watchdog } from '${compiled('watchdog')}';
    new Watchdog(100, 100).progress('the last line');
    setInterval(() => {}, 1_000);`;
  const ended = run(process.execPath, ['--input-type=module', '--eval', hanging], {
    timeout: 45_000,
  });

  await expect(ended).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the last line') as string,
  });
});

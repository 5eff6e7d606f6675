import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { eventually } from '../support/eventually.js';

const PROGRAM = fileURLToPath(new URL('../../dist/testing/cli.js', import.meta.url));

const MANIFEST = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Runs `nestjs-locked ...` as a shell does, and returns its output. */
function run(...args: string[]): { child: ChildProcessWithoutNullStreams; output: () => string } {
  const child = spawn(process.execPath, [PROGRAM, ...args]);
  endedWithTest({ [Symbol.asyncDispose]: async () => void child.kill('SIGKILL') });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  return { child, output: () => output };
}

it('nestjs-locked zookeeper starts a server, prints its address, and exits on SIGTERM', async () => {
  const { child, output } = run('zookeeper', '--port', '0', '--tick-time', '500');
  const [connectString] = await eventually(() => /127\.0\.0\.1:\d+/.exec(output()));
  const locks = await createLockService({ connectString });
  await (await locks.lock('order')).release();
  await locks.close();

  const ended = once(child, 'close');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(output()).toContain('for development and tests is running in memory');
});

it.each([[['help']], [['--help']], [['-h']], [['zookeeper', '--help']], [['help', 'zookeeper']]])(
  'nestjs-locked %j prints the usage and succeeds',
  async (args) => {
    const { child, output } = run(...args);
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(output()).toMatch(/^Usage: npx nestjs-locked zookeeper/);
  },
);

it.each(['--version', '-v'])(
  'nestjs-locked %s prints the version of the package and succeeds',
  async (option) => {
    const { child, output } = run(option);
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(output()).toBe(`${MANIFEST.version}\n`);
  },
);

it.each([
  [[], 'The only command is "zookeeper"; got ""'],
  [['zoo'], 'The only command is "zookeeper"; got "zoo"'],
  [['zookeeper', '--port', '2181x'], '--port must be a whole number; got "2181x"'],
  [['zookeeper', '--port', '70000'], '`port` must be a whole number from 0 to 65535: got 70000 (number)'],
  [['zookeeper', '--prot', '1'], "Unknown option '--prot'"],
])('nestjs-locked %j is rejected with a usage message', async (args, message) => {
  const { child, output } = run(...args);
  expect(await once(child, 'close')).toEqual([2, null]);
  expect(output()).toContain(message);
  expect(output()).toContain('Usage: npx nestjs-locked zookeeper');
});

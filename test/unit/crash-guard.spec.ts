import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CrashGuard } from '../../lib/zookeeper/guard/crash-guard.js';
import { eventually } from '../support/eventually.js';
import { FakeClock, settled } from './fake-clock.js';

let directory: string;
let warnings: string[];
let guard: CrashGuard;
const clock = new FakeClock();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guard-'));
  warnings = [];
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

function open(program: string): void {
  guard = new CrashGuard({ clock, servers: [], auth: [], program: async () => program });
  guard.open((message) => warnings.push(message));
}

test('a program that a bundler has left out is reported with what to do', async () => {
  open('/bundle/guard-process.js');
  await settled();
  await guard.close();

  expect(warnings).toEqual([
    'The crash guard cannot start: its program /bundle/guard-process.js does not exist. If the application is bundled, ' +
      'leave `nestjs-locked` out of the bundle, as an external package; or turn the module option `crashGuard` off. ' +
      'Without a guard, the locks of this process stay taken for the session timeout if it is killed',
  ]);
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
  await guard.close();

  expect(warnings).toEqual([
    'The crash guard ended (exit code 3) and is being replaced. ' +
      'Without a guard, the locks of this process stay taken for the session timeout if it is killed',
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
  await guard.close();

  expect(warnings).toEqual([]);
  expect(clock.timers).toBe(0);
});

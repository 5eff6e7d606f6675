import { expect, test } from 'vitest';
import { Program } from '../fixtures/program.js';
import type { FailingStartSettings } from '../fixtures/programs/failing-start.js';
import { Replica } from '../fixtures/replica.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

async function run(settings: Omit<FailingStartSettings, 'options'>, options = zooKeeper.options()) {
  const program = Program.start('failing-start', { ...settings, options } satisfies FailingStartSettings);
  const { code } = await program.ended;
  return { code, output: program.output.trim() };
}

test.for([
  ['context', 'provider'],
  ['context', 'hook'],
  ['context', 'holder'],
  ['server', 'provider'],
  ['server', 'hook'],
  ['compile', 'provider'],
  ['init', 'hook'],
  ['init', 'holder'],
] as const)('a start (%s) that fails in a %s does not keep the process alive', async ([how, fails]) => {
  expect(await run({ how, fails })).toEqual({ code: 0, output: 'not today' });
});

test('a start that fails while providers are created does not connect', async () => {
  const options = zooKeeper.options({ connectString: '127.0.0.1:1' });
  expect(await run({ how: 'context', fails: 'provider' }, options)).toEqual({ code: 0, output: 'not today' });
});

test('an idle application does not keep its process alive', async () => {
  expect(await run({ how: 'context', fails: 'nothing' })).toEqual({ code: 0, output: 'started' });
});

test('an idle lazy application that cannot connect does not keep its process alive', async () => {
  const options = zooKeeper.options({ connectString: '127.0.0.1:1', lazy: true });
  expect(await run({ how: 'context', fails: 'nothing' }, options)).toEqual({ code: 0, output: 'started' });
});

test('a hook that waits for a lock keeps the process alive until the lock is granted', async () => {
  const options = zooKeeper.options();
  const replica = await Replica.open(options);
  const held = await replica.hold('leader');
  const ended = run({ how: 'context', fails: 'holder' }, options);
  await replica.hasWaiters('leader', 1);
  await held.release();
  expect(await ended).toEqual({ code: 0, output: 'not today' });
});

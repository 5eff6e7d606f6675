import { expect, test } from 'vitest';
import type { LockModuleOptions } from '../../lib/index.js';
import { DEAD_PORT } from '../support/free-port.js';
import { Program } from '../fixtures/program.js';
import type { ServingAppSettings } from '../fixtures/programs/serving-app.js';
import { Replica } from '../fixtures/replica.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

const WARNING = 'Shutdown hooks are off: after a SIGTERM, held locks stay taken until the session times out';

/** An application in a separate process that serves a request under the lock 'order'. */
async function startServing(shutdownHooks: boolean, overrides?: LockModuleOptions) {
  const shared = zooKeeper.options();
  const replica = await Replica.open(shared);
  const options = { ...shared, ...overrides };
  const program = Program.start('serving-app', { options, shutdownHooks } satisfies ServingAppSettings);
  const url = await program.says('url');
  const response = fetch(`${url}/pay`, { headers: { Connection: 'close' } });
  await program.says('begun');
  return { program, replica, response };
}

test('after SIGTERM a request finishes under its lock, which is freed immediately', async () => {
  const { program, replica, response } = await startServing(true, { sessionTimeout: 40_000 });
  expect(program.output).not.toContain('Shutdown hooks');
  program.signal('SIGTERM');
  await expect(replica.hold('order', { wait: 0 })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
  // A second signal while the application is already closing.
  program.signal('SIGTERM');
  const next = replica.hold('order');
  await replica.hasWaiters('order', 1);
  program.send('finish');
  expect(await (await response).json()).toEqual({ held: true });
  expect((await next).isHeld()).toBe(true);
  expect(await program.ended).toEqual({ code: null, signal: 'SIGTERM' });
  const events = program.messages.filter((message) => message.startsWith('event'));
  expect(events).toEqual([
    'event ready',
    'event acquired',
    'event released',
    'event closed',
    'events complete',
  ]);
});

test('without shutdown hooks the start warns, and SIGTERM leaves the lock held until the session expires', async () => {
  const { program, replica, response } = await startServing(false, { sessionTimeout: 8_000 });
  expect(program.output).toContain(WARNING);
  const failed = expect(response).rejects.toThrow();
  program.signal('SIGTERM');
  expect(await program.ended).toEqual({ code: null, signal: 'SIGTERM' });
  await failed;
  expect(program.messages).not.toContain('event closed');
  expect(await replica.isFree('order')).toBe(false);
  await replica.becomesFree('order');
});

test('a closed application does not keep its process alive', async () => {
  const program = Program.start('context-app', zooKeeper.options());
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.output).toBe('closed\n');
});

test('a failed start does not keep its process alive', async () => {
  const options = { host: '127.0.0.1', port: DEAD_PORT, connectTimeout: 500 };
  const program = Program.start('context-app', options);
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.output).toBe('LockUnavailableError\n');
});

test('a closed lazy application that never connected does not keep its process alive', async () => {
  const program = Program.start('context-app', { host: '127.0.0.1', port: DEAD_PORT, lazy: true });
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.output).toBe('closed\n');
});

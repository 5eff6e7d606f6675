import { afterAll, beforeAll, expect, it } from 'vitest';
import { LockClosedError } from '../../lib/index.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => server.giveBack());

it('an inspection that is aborted just before it reads the queue again causes no unhandled rejection (H46)', async () => {
  await using setup = await ProxiedLocks.start(server);
  await setup.others.lock('order');
  const controller = new AbortController();
  const cut = setup.proxy.once('getData', 'cutBeforeForward');
  // The connection is back. The inspection continues in this turn, after the abort.
  const resumed = setup.locks.events$.subscribe(({ type }) => {
    if (type === 'resumed') queueMicrotask(() => controller.abort(new Error('enough')));
  });

  const inspecting = setup.locks.inspect('order', controller.signal);
  await cut.fired;
  setup.proxy.once('getData', 'cutBeforeForward');

  await expect(inspecting).rejects.toThrow('enough');
  resumed.unsubscribe();
  // Requests in flight fail with the connection: an unhandled rejection would fail the run.
  setup.proxy.cutAll();
  await setup.proxy.waitFor('connect', { direction: 'reply', occurrence: 3 });
});

it.each<[string, (setup: ProxiedLocks) => Promise<unknown>]>([
  ['an inspection', ({ locks }) => locks.inspect('order')],
  ['a request for the release', ({ locks }) => locks.requestRelease('order')],
  ['a forced release', ({ locks }) => locks.forceRelease('order', { token: 1n })],
  ['a change of permits', ({ locks }) => locks.setPermits('order', 2)],
])('%s that the shutdown of its service interrupts is not said to be an outage', async (_, call) => {
  await using setup = await ProxiedLocks.start(server);
  await setup.locks.lock('other');
  setup.proxy.blackHole();
  const interrupted = call(setup);
  interrupted.catch(() => {});
  await setup.locks.close();
  await expect(interrupted).rejects.toThrow(LockClosedError);
});

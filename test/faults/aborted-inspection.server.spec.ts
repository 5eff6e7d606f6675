import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => server.stop());

it('an inspection that is aborted just before it reads the queue again leaves no rejection behind (H46)', async () => {
  await using setup = await ProxiedLocks.start(server);
  await setup.others.lock('order');
  const controller = new AbortController();
  const cut = setup.proxy.once('getData', 'cutBeforeForward');
  // The connection is back, and the inspection goes on in this very turn, after the abort.
  const resumed = setup.locks.events$.subscribe(({ type }) => {
    if (type === 'resumed') queueMicrotask(() => controller.abort(new Error('enough')));
  });

  const inspecting = setup.locks.inspect('order', controller.signal);
  await cut.fired;
  setup.proxy.once('getData', 'cutBeforeForward');

  await expect(inspecting).rejects.toThrow('enough');
  resumed.unsubscribe();
  // Whatever was still under way fails with the connection: an unhandled rejection would end the run.
  setup.proxy.cutAll();
  await setup.proxy.waitFor('connect', { direction: 'reply', occurrence: 3 });
});

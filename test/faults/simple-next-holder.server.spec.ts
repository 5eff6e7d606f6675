import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { serverWatches } from '../support/server-resources.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { withError } from '../support/with-error.js';
import { cutOff, expectKept, nextWaiter, SIMPLE, watchingHolder, withRoot } from './simple-setup.js';

const THROTTLED = -127;
/** How releases may leave. A heartbeat is a transaction, too, but a small one. */
const DELETIONS = [
  { operation: 'delete', where: () => true },
  { operation: 'multi', where: ({ size }: { size: number }) => size > 50 },
] as const;

describe('a lock without a queue is never taken from the next holder', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  it('by a delete that is repeated because its reply got lost (H07)', async () => {
    await using setup = await withRoot(server);
    const held = await setup.locks.lock('order', SIMPLE);
    const { granted } = await nextWaiter(setup);
    const fault = setup.proxy.once('delete', 'forwardThenCutBeforeReply');

    const released = held.release();
    const next = await granted;
    await fault.fired;

    expect(await released).toBe(true);
    await expectKept(setup, next);
    expect(setup.proxy.count('delete')).toBe(1);
  });

  it('by a release together with another one, when an operator has deleted the node just before', async () => {
    await using setup = await withRoot(server);
    const held = await setup.locks.lock('order', SIMPLE);
    const another = await setup.locks.lock('another', SIMPLE);
    const requests = DELETIONS.map(({ operation, where }) =>
      setup.proxy.once(operation, 'holdRequest', { where }),
    );
    const releases = [held, another].map((lock) => lock.release());
    await Promise.race(requests.map((request) => request.held));

    await setup.observer.delete(setup.path('order'));
    const replies = DELETIONS.map(({ operation }) => setup.proxy.once(operation, 'holdReply'));
    for (const request of requests) request.release();
    await Promise.race(replies.map((reply) => reply.held));
    const next = await setup.others.lock('order', SIMPLE);
    for (const reply of replies) reply.release();

    await Promise.all(releases);
    await expectKept(setup, next);
  });

  it('by a release after an operator has deleted the node', async () => {
    await using setup = await withRoot(server);
    const { held, granted } = await watchingHolder(setup);

    await setup.observer.delete(setup.path('order'));
    const next = await granted;
    await eventually(() => held.signal.aborted);

    expect(held.signal.reason).toMatchObject({ reason: 'deleted' });
    expect(await held.release()).toBe(false);
    await expectKept(setup, next);
    expect(setup.proxy.count('delete')).toBe(0);
  });

  it('by a release after the server has refused the watch, and an operator has deleted the node', async () => {
    // It is not tried again before the end of the test.
    await using setup = await withRoot(server, { retryDelay: 60_000 });
    const watch = setup.proxy.rewriteReply('getData', (reply) => withError(reply, THROTTLED));
    const held = await setup.locks.lock('order', SIMPLE);
    await watch.fired;
    const { granted } = await nextWaiter(setup);

    await setup.observer.delete(setup.path('order'));
    const next = await granted;

    expect(await held.release()).toBe(false);
    await expectKept(setup, next);
    expect(setup.proxy.count('delete')).toBe(0);
  });

  it('by a holder that was cut off while an operator deleted its node', async () => {
    await using setup = await withRoot(server);
    const { held, granted } = await watchingHolder(setup);

    await cutOff(setup);
    await setup.observer.delete(setup.path('order'));
    const next = await granted;
    await setup.proxy.accept();

    await eventually(() => held.signal.aborted);
    expect(held.signal.reason).toMatchObject({ reason: 'deleted' });
    expect(await held.release()).toBe(false);
    await expectKept(setup, next);
    expect(setup.proxy.count('delete')).toBe(0);
    // Not that of the next holder either, which the late watch has read.
    await eventually(async () => expect(await serverWatches(server)).toBe(0));
  });

  it('by a release without a connection, during which an operator deletes the node', async () => {
    await using setup = await withRoot(server);
    const { held, granted } = await watchingHolder(setup);

    await cutOff(setup);
    const released = held.release();
    await setup.observer.delete(setup.path('order'));
    const next = await granted;
    await setup.proxy.accept();

    await released;
    await expectKept(setup, next);
    expect(setup.proxy.count('delete')).toBe(0);
  });

  it('by a release right after a reconnection, before the watch is set again', async () => {
    await using setup = await withRoot(server);
    const { held, granted } = await watchingHolder(setup);

    await cutOff(setup);
    await setup.observer.delete(setup.path('order'));
    const next = await granted;
    const look = setup.proxy.once('getData', 'holdReply');
    await setup.proxy.accept();
    await look.held;
    const released = held.release();
    look.release();

    await released;
    await expectKept(setup, next);
    expect(setup.proxy.count('delete')).toBe(0);
  });

  it('by a holder whose session has expired (H08)', async () => {
    await using setup = await withRoot(server, { sessionTimeout: 1_000 });
    const held = await setup.locks.lock('order', SIMPLE);

    setup.proxy.refuse();
    const next = await setup.others.lock('order', SIMPLE);
    expect(held.isHeld()).toBe(false);
    await setup.proxy.accept();
    await eventually(() => setup.count('ready') >= 1 && setup.count('sessionExpired') >= 1);

    expect(await held.release()).toBe(false);
    await expectKept(setup, next);
  });
});

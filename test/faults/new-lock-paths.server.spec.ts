import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { ifThere } from '../support/if-there.js';
import { startTestServer } from '../support/test-server.js';
import { withError } from '../support/with-error.js';
import { ProxiedLocks } from './proxied-locks.js';

const NO_AUTH = -102;

describe('the path of a lock that was never acquired', () => {
  it('is removed by a shutdown, whose connection is lost meanwhile', async () => {
    await using server = await startTestServer();
    await using setup = await ProxiedLocks.start(server);
    const { locks, proxy, observer } = setup;
    const path = setup.path('order');
    // That makes the root.
    await locks.withLock('another', () => {});
    const contender = proxy.once('create2', 'holdRequest');
    const refused = expect(locks.lock('order')).rejects.toMatchObject({ name: 'LockClosedError' });
    await contender.held;
    await eventually(async () => (await observer.exists(path)) !== null);
    expect(await observer.getChildren(path)).toEqual([]);

    // Heartbeats are smaller.
    const removal = proxy.once('multi', 'cutBeforeForward', { where: ({ size }) => size > 100 });
    const closing = locks.close();
    await refused;
    proxy.cutAll();

    await Promise.all([closing, removal.fired]);
    expect(await ifThere(observer.getChildren(path))).toBeUndefined();
  });

  it('is removed after a failed call that has not made it yet, because the root was missing', async () => {
    await using server = await startTestServer();
    await using setup = await ProxiedLocks.start(server);
    const { locks, proxy, observer } = setup;
    const path = setup.path('order');
    const root = proxy.once('createContainer', 'holdRequest', { occurrence: 2 });
    proxy.rewriteReply('create2', (reply) => withError(reply, NO_AUTH));
    await expect(locks.lock('order')).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await root.held;
    const made = proxy.waitFor('createContainer', {
      direction: 'reply',
      occurrence: proxy.count('createContainer', 'reply') + 2,
    });
    root.release();
    await made;

    await locks.close();
    expect(await observer.exists(setup.root)).not.toBeNull();
    expect(await ifThere(observer.getChildren(path))).toBeUndefined();
  });

  it('is removed after a call that is aborted and never hears that the path was made', async () => {
    await using server = await startTestServer();
    await using setup = await ProxiedLocks.start(server);
    const { locks, proxy, observer } = setup;
    // That makes the root.
    await locks.withLock('another', () => {});
    const made = proxy.once('createContainer', 'holdReply');
    const contender = proxy.once('create2', 'holdRequest');
    const abort = new AbortController();
    const refused = expect(locks.lock('order', { signal: abort.signal })).rejects.toThrow('changed my mind');
    await Promise.all([made.held, contender.held]);
    abort.abort(new Error('changed my mind'));
    await refused;
    expect(await observer.getChildren(setup.path('order'))).toEqual([]);
    proxy.cutAll();

    await eventually(async () => (await ifThere(observer.getChildren(setup.path('order')))) === undefined);
  });
});

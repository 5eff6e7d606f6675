import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockLostError } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { withError } from '../support/with-error.js';
import { ProxiedLocks } from './proxied-locks.js';

const THROTTLED = -127;

describe('the loss of a lock', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  it('by a deletion of its node by hand is reported to the holder at once (H36)', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('order');
    // The holder sets a watch on its node once the hold has lasted for a while.
    await setup.proxy.waitFor('getData', { direction: 'reply' });
    const aborted = new Promise((resolve) => held.signal.addEventListener('abort', resolve));

    const [node] = await setup.contenders('order');
    await setup.observer.delete(`${setup.path('order')}/${node}`);
    await aborted;

    expect((held.signal.reason as LockLostError).reason).toBe('deleted');
    expect(held.isHeld()).toBe(false);
    expect(await held.release()).toBe(false);
    expect(setup.count('lost')).toBe(1);
  });

  it('is noticed even if the watch was refused at first, because it is requested again', async () => {
    await using setup = await ProxiedLocks.start(server);
    setup.proxy.rewriteReply('getData', (reply) => withError(reply, THROTTLED));
    const held = await setup.locks.lock('order');
    await setup.proxy.waitFor('getData', { direction: 'reply', occurrence: 2 });

    const [node] = await setup.contenders('order');
    await setup.observer.delete(`${setup.path('order')}/${node}`);

    await eventually(() => setup.count('lost') === 1);
    expect(held.signal.reason).toMatchObject({ reason: 'deleted' });
  });

  it('is noticed even if the watch was lost, because it is set again after a reconnection', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('order');
    await setup.proxy.waitFor('getData', { direction: 'reply' });

    setup.proxy.refuse();
    await eventually(() => setup.count('suspended') === 1);
    const [node] = await setup.contenders('order');
    await setup.observer.delete(`${setup.path('order')}/${node}`);
    await setup.proxy.accept();

    await eventually(() => setup.count('lost') === 1);
    expect((held.signal.reason as LockLostError).reason).toBe('deleted');
  });

  it('keeps a late release from freeing the lock of the next holder (H08)', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000 });
    const held = await setup.locks.lock('order');

    setup.proxy.refuse();
    const next = await setup.others.lock('order');
    expect(held.isHeld()).toBe(false);
    await setup.proxy.accept();
    await eventually(() => setup.count('ready') >= 1 && setup.count('sessionExpired') >= 1);

    expect(await held.release()).toBe(false);
    expect(next.isHeld()).toBe(true);
    expect(await setup.contenders('order')).toHaveLength(1);
  });

  it('is final even if the same session comes back in time (H32)', async () => {
    // The server keeps the session for longer than the client assumes.
    await using setup = await ProxiedLocks.start(server);
    setup.proxy.rewriteSessionTimeout(1_000);
    setup.proxy.cutAll();
    await eventually(() => setup.count('resumed') >= 1);
    const held = await setup.locks.lock('order');

    setup.proxy.refuse();
    await eventually(() => setup.locks.state === 'suspended' && held.signal.aborted);
    await setup.proxy.accept();
    await eventually(() => setup.locks.state === 'connected');

    expect(setup.count('sessionExpired')).toBe(0);
    expect(held.isHeld()).toBe(false);
    expect(() => held.assertHeld()).toThrow('lost (session)');
    await eventually(async () => expect(await setup.contenders('order')).toEqual([]));
  });

  it('rejects withLock at once, before the work has ended', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000 });
    let finish = (): void => {};
    const work = setup.locks.withLock('order', () => new Promise<void>((resolve) => (finish = resolve)));
    await eventually(() => setup.count('acquired') >= 1);

    setup.proxy.blackHole();

    await expect(work).rejects.toMatchObject({ name: 'LockLostError', reason: 'session' });
    finish();
  });

  it('is known to all holders of the session before the first event of it', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 4_000 });
    const order: string[] = [];
    for (const resource of ['a', 'b', 'c']) {
      const { signal } = await setup.locks.lock(resource);
      signal.addEventListener('abort', () => order.push('signal'));
    }
    setup.locks.lost$.subscribe(() => order.push('event'));
    setup.proxy.blackHole();
    await eventually(() => order.length === 6);
    expect(order).toEqual(['signal', 'signal', 'signal', 'event', 'event', 'event']);
  });

  it('is not caused by a setData of another client, which is a revocation request (H37)', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('order');
    await setup.proxy.waitFor('getData', { direction: 'reply' });
    const waiter = setup.others.lock('order');
    await eventually(async () => (await setup.contenders('order')).length === 2);

    const node = (await setup.contenders('order')).find((name) => name.endsWith('0'));
    await setup.observer.setData(`${setup.path('order')}/${node}`, Buffer.from('__REVOKE__'));

    await eventually(() => setup.count('revokeRequested') >= 1);
    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
    await (await waiter).release();
  });
});

describe('a release while contact is lost', () => {
  it('lets withLock return at once, and frees the lock when contact is back', async () => {
    await using server = await startTestServer();
    await using setup = await ProxiedLocks.start(server);

    const result = await setup.locks.withLock('order', async () => {
      setup.proxy.refuse();
      await eventually(() => setup.count('suspended') === 1);
      return 'paid';
    });

    expect(result).toBe('paid');
    expect(await setup.contenders('order')).toHaveLength(1);
    await setup.proxy.accept();
    await eventually(async () => expect(await setup.contenders('order')).toEqual([]));
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { serverWatches } from '../support/server-resources.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { cutOff, SIMPLE, waiterBehindProxy, watchingHolder, withRoot } from './simple-setup.js';

describe('a waiter for a lock without a queue', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  it('has the lock although it was cut off when the holder left (H11)', async () => {
    await using setup = await withRoot(server);
    const { holder, granted } = await waiterBehindProxy(setup);

    await cutOff(setup);
    await holder.release();
    await setup.proxy.accept();

    const held = await granted;
    expect(held.isHeld()).toBe(true);
    // It had no place that it could have lost.
    expect(setup.count('waiting')).toBe(1);
    await held.release();
  });

  it('watches the same holder again after a lost connection, without another try', async () => {
    await using setup = await withRoot(server);
    const { holder, granted } = await waiterBehindProxy(setup);

    setup.proxy.cutAll();
    await eventually(() => setup.count('resumed') === 1);
    await setup.proxy.waitFor('getData', { direction: 'reply', occurrence: 2 });
    expect(setup.proxy.count('create2')).toBe(1);

    await holder.release();
    const held = await granted;
    expect(held.isHeld()).toBe(true);
    await held.release();
  });

  it('waits on in a new session when its own has expired', async () => {
    await using setup = await withRoot(server);
    const { holder, granted } = await waiterBehindProxy(setup);

    setup.proxy.rewriteSessionId(0n);
    setup.proxy.cutAll();
    await eventually(() => setup.count('sessionExpired') >= 1);
    await eventually(() => setup.count('waiting') === 2);
    expect(setup.events.findLast(({ type }) => type === 'waiting')).toMatchObject({ requeued: true });

    await holder.release();
    const held = await granted;
    expect(held.isHeld()).toBe(true);
    await held.release();
  });

  it('tries once for all callers of its process, who have the lock one after the other', async () => {
    await using setup = await withRoot(server);
    const holder = await setup.others.lock('order', SIMPLE);
    const calls = Array.from({ length: 20 }, () => setup.locks.lock('order', SIMPLE));
    await eventually(() => setup.count('waiting') === 20);
    await holder.release();

    const tokens: bigint[] = [];
    for (const call of calls) {
      const held = await call;
      tokens.push(held.fencingToken);
      await held.release();
    }
    expect(tokens).toEqual([...tokens].sort((a, b) => Number(a - b)));
    expect(new Set(tokens).size).toBe(20);
    // The first one is refused, and the lock is free at the second one.
    expect(setup.proxy.count('create2')).toBe(2);
  });

  it('competes like those of other processes for a lock that its own process has', async () => {
    await using setup = await withRoot(server);
    const { held, granted: elsewhere } = await watchingHolder(setup);
    const here = setup.locks.lock('order', SIMPLE);

    // It is refused, and watches the node, before the lock is free.
    await setup.proxy.waitFor('create2', { direction: 'reply', occurrence: 2 });
    await setup.proxy.waitFor('getData', { direction: 'reply', occurrence: 2 });
    expect(setup.count('waiting')).toBe(1);

    await held.release();
    await Promise.all([here, elsewhere].map(async (granted) => (await granted).release()));
  });

  it('leaves no watch on the server when it gives up (H14, H15)', async () => {
    await using setup = await withRoot(server);
    const holder = await setup.others.lock('order', SIMPLE);
    const controller = new AbortController();
    const { signal } = controller;
    const waiters = Array.from({ length: 20 }, () => setup.locks.lock('order', { ...SIMPLE, signal }));
    await eventually(() => setup.count('waiting') === 20);
    // One of the session of all waiters, and one of the holder.
    await eventually(async () => expect(await serverWatches(server)).toBe(2));

    controller.abort();
    await Promise.allSettled(waiters);

    await eventually(async () => expect(await serverWatches(server)).toBe(1));
    await holder.release();
    await eventually(async () => expect(await serverWatches(server)).toBe(0));
  });
});

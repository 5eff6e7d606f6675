import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';
import { isTaken, SIMPLE, watchingHolder, withRoot } from './simple-setup.js';

describe('a lock without a queue', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  it.each(['cutBeforeForward', 'forwardThenCutBeforeReply', 'rst'] as const)(
    'is granted once after a create that gets lost (%s) (H01)',
    async (action) => {
      await using setup = await withRoot(server);
      const fault = setup.proxy.once('create2', action);

      const held = await setup.locks.lock('order', SIMPLE);

      await fault.fired;
      expect(held.isHeld()).toBe(true);
      expect(await setup.others.tryLock('order', SIMPLE)).toBeNull();
      expect(await held.release()).toBe(true);
      expect(await isTaken(setup)).toBe(false);
    },
  );

  it('takes room in its session until it is certainly deleted (H61)', async () => {
    await using setup = await ProxiedLocks.start(server, { maxSessionPathBytes: 4_096 });
    const names = Array.from({ length: 14 }, (_, index) => `${index}`.padEnd(500, '-'));
    const sessionOf = async (name: string) => (await setup.observer.exists(setup.path(name)))?.ephemeralOwner;
    const first = await setup.locks.lock(names[0]!, SIMPLE);
    const session = await sessionOf(names[0]!);
    let held = 1;
    while ((await setup.locks.lock(names[held]!, SIMPLE), await sessionOf(names[held]!)) === session)
      held += 1;
    const deletion = setup.proxy.once('delete', 'holdRequest');
    const released = first.release();
    await deletion.held;
    const [last] = names.slice(-1);
    await setup.locks.lock(last!, SIMPLE);
    expect(held).toBeGreaterThan(5);
    expect(await sessionOf(last!)).not.toBe(session);
    deletion.release();
    await released;
  });

  it('is looked up after a lost reply only after a committed write (H02)', async () => {
    await using setup = await withRoot(server);
    const fault = setup.proxy.once('create2', 'forwardThenCutBeforeReply');

    const held = await setup.locks.lock('order', SIMPLE);

    await fault.fired;
    const requests = setup.proxy.frames.filter(({ direction }) => direction === 'request');
    const sent = requests.map(({ type }) => type);
    const reattached = sent.lastIndexOf('connect');
    // The first write is the heartbeat of the new connection, the second one the barrier.
    expect(sent.slice(reattached + 1, reattached + 4)).toEqual(['multi', 'multi', 'getData']);
    expect(setup.proxy.count('create2')).toBe(1);
    await held.release();
  });

  it('is not adopted from another session: the next one waits until that has ended (H02)', async () => {
    await using setup = await withRoot(server, { sessionTimeout: 8_000 });
    const fault = setup.proxy.once('create2', 'forwardThenCutBeforeReply');
    setup.proxy.rewriteSessionId(0n);

    const attempt = setup.locks.lock('order', SIMPLE);
    await fault.fired;
    const left = await eventually(() => setup.observer.exists(setup.path('order')));
    const held = await attempt;

    const mine = await setup.observer.exists(setup.path('order'));
    expect(mine?.ephemeralOwner).not.toBe(left.ephemeralOwner);
    expect(mine!.czxid).toBeGreaterThan(left.czxid);
    expect(held.isHeld()).toBe(true);
    await held.release();
  });

  it('is not granted after a lost reply if somebody else has it', async () => {
    await using setup = await withRoot(server);
    const holder = await setup.others.lock('order', SIMPLE);
    const fault = setup.proxy.once('create2', 'forwardThenCutBeforeReply');

    const attempt = setup.locks.lock('order', SIMPLE);
    await fault.fired;
    await eventually(() => setup.count('waiting') === 1);

    expect(setup.count('acquired')).toBe(0);
    expect(holder.isHeld()).toBe(true);
    await holder.release();
    await (await attempt).release();
  });

  it('leaves no node behind when the caller gives up while it is created (H04)', async () => {
    await using setup = await withRoot(server);
    const reply = setup.proxy.once('create2', 'holdReply');
    const controller = new AbortController();
    const attempt = setup.locks.lock('order', { ...SIMPLE, signal: controller.signal });
    await reply.held;

    const reason = new Error('the client has gone');
    controller.abort(reason);
    await expect(attempt).rejects.toBe(reason);
    reply.release();

    await eventually(async () => expect(await isTaken(setup)).toBe(false));
    expect(setup.events.map(({ type }) => type).filter((type) => type !== 'ready')).toEqual(['aborted']);
  });

  it.each(['cutBeforeForward', 'forwardThenCutBeforeReply'] as const)(
    'is free after a delete that gets lost (%s) (H06, H07)',
    async (action) => {
      await using setup = await withRoot(server);
      const held = await setup.locks.lock('order', SIMPLE);
      const fault = setup.proxy.once('delete', action);

      expect(await held.release()).toBe(true);

      await fault.fired;
      expect(held.isHeld()).toBe(false);
      expect(await isTaken(setup)).toBe(false);
      expect(setup.count('released')).toBe(1);
    },
  );

  it('asks its holder for a release by a setData, which loses nothing (H37)', async () => {
    await using setup = await withRoot(server);
    const { held, granted } = await watchingHolder(setup);

    await setup.observer.setData(setup.path('order'), Buffer.from('__REVOKE__'));

    await eventually(() => setup.count('revokeRequested') >= 1);
    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
    await (await granted).release();
  });

  it('is not taken by somebody who removes an unused queue, when it has taken the place of that', async () => {
    await using setup = await ProxiedLocks.start(server);
    // The lock path of a queue, without contenders.
    await (await setup.others.lock('order', { permits: 2 })).release();
    const path = setup.path('order');
    const look = setup.proxy.once('getData', 'holdReply');
    // It reads another number of permits, and then removes the path for it.
    const late = setup.locks.lock('order', { permits: 3 });
    await look.held;
    const held = await setup.others.lock('order', SIMPLE);
    look.release();

    await expect(late).rejects.toMatchObject({ code: 'LOCK_FAIRNESS' });
    expect(await setup.observer.exists(path)).not.toBeNull();
    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
  });
});

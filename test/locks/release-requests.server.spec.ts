import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LockClosedError,
  LockConfigurationError,
  type LockOptions,
  type LockService,
} from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { useLockReplicas } from '../fixtures/lock-replicas.js';
import { ProxiedLocks } from '../faults/proxied-locks.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const CLOSED = { failure: 'closed', owner: 'payer-1' } as const;

/** The tokens of the holds that were asked, in order. */
function asked(locks: LockService): (bigint | undefined)[] {
  const tokens: (bigint | undefined)[] = [];
  locks.events$.subscribe((event) => {
    if (event.type === 'revokeRequested') tokens.push(event.fencingToken);
  });
  return tokens;
}

describe('a request to release a lock', () => {
  const { replica, queued } = useLockReplicas();

  it.each(['exclusive', 'write'] as const)(
    'is an event of the holder, who keeps the lock and its record: mode %s',
    async (mode) => {
      const [here, there] = [await replica({ owner: 'here' }), await replica()];
      const held = await here.lock('index', { mode });
      const waiter = await queued(there, 'index', { mode });
      const [askedHere, askedThere] = [asked(here), asked(there)];
      expect(await there.requestRelease('index')).toBe(true);
      await eventually(() => expect(askedHere).toEqual([held.fencingToken]));
      await eventually(async () => {
        const { holder } = await there.inspect('index');
        expect(holder).toMatchObject({ owner: { owner: 'here' }, fencingToken: held.fencingToken });
      });
      expect(held.isHeld()).toBe(true);
      // It may be repeated.
      expect(await here.requestRelease('index')).toBe(true);
      await eventually(() => expect(askedHere).toHaveLength(2));
      // Its service has read everything that the server had to tell it by then (H37).
      await there.inspect('index');
      expect(waiter.isGranted).toBe(false);
      expect(await held.release()).toBe(true);
      await (await waiter.lock).release();
      expect(askedThere).toEqual([]);
    },
  );

  it.each([
    ['reads', { mode: 'read' }, { mode: 'write' }],
    ['has a permit', { permits: 2 }, { permits: 2 }],
  ] as [string, LockOptions, LockOptions][])(
    'asks everybody who %s, and no waiter',
    async (_what, options, others) => {
      const [one, two, three] = [await replica(), await replica(), await replica()];
      const holders = [await one.lock('index', options), await two.lock('index', options)];
      const waiter = await queued(three, 'index', others);
      const recorded = [asked(one), asked(two), asked(three)];
      expect(await three.requestRelease('index')).toBe(true);
      await eventually(() =>
        expect(recorded.slice(0, 2)).toEqual(holders.map(({ fencingToken }) => [fencingToken])),
      );
      for (const held of holders) await held.release();
      await (await waiter.lock).release();
      expect(recorded[2]).toEqual([]);
    },
  );

  it('asks the caller that has the lock in a process with several callers', async () => {
    const locks = await replica();
    const first = await locks.lock('index');
    const second = await queued(locks, 'index');
    const tokens = asked(locks);
    expect(await locks.requestRelease('index')).toBe(true);
    await eventually(() => expect(tokens).toEqual([first.fencingToken]));
    await first.release();
    const next = await second.lock;
    expect(await locks.requestRelease('index')).toBe(true);
    await eventually(() => expect(tokens).toEqual([first.fencingToken, next.fencingToken]));
  });

  it('asks the holder of a lock that fails closed, whose record stays complete', async () => {
    const [here, there] = [await replica(), await replica()];
    const held = await here.lock('payout', CLOSED);
    const tokens = asked(here);
    expect(await there.requestRelease('payout')).toBe(true);
    await eventually(() => expect(tokens).toEqual([held.fencingToken]));
    expect((await there.inspect('payout')).holder).toMatchObject({
      owner: { owner: 'payer-1' },
      fencingToken: held.fencingToken,
    });
    expect(await held.release()).toBe(true);
  });

  it('does not keep the owner of a failed closed lock, or a person, from getting it back', async () => {
    const [failed, admin] = [await replica(), await replica()];
    await failed.lock('payout', CLOSED);
    await failed.close();
    expect(await admin.requestRelease('payout')).toBe(true);
    const adopting = await replica();
    const tokens = asked(adopting);
    const adopted = await adopting.lock('payout', CLOSED);
    await adopting.close();
    expect(await admin.requestRelease('payout')).toBe(true);
    expect(await admin.forceRelease('payout', { token: adopted.fencingToken })).toBe(true);
    // The request was to the hold before.
    expect(tokens).toEqual([]);
  });

  it('asks nobody if nobody holds the lock', async () => {
    const locks = await replica();
    expect(await locks.requestRelease('index')).toBe(false);
    await (await locks.lock('index')).release();
    expect(await locks.requestRelease('index')).toBe(false);
  });

  it('is refused for a lock without a queue, whose node it would take for that of the next holder', async () => {
    const [here, there] = [await replica({ owner: 'here' }), await replica()];
    await here.lock('index', { fair: false });
    await expect(there.requestRelease('index')).rejects.toThrow(LockConfigurationError);
    await expect(there.requestRelease('index')).rejects.toThrow('`fair: false`');
    expect((await there.inspect('index')).holder).toMatchObject({ owner: { owner: 'here' } });
  });

  it('is rejected for an invalid name, for an aborted signal, and when the service has closed', async () => {
    const locks = await replica();
    const events = new EventRecorder(locks);
    await expect(locks.requestRelease('')).rejects.toThrow(LockConfigurationError);
    await expect(locks.requestRelease(7 as unknown as string)).rejects.toThrow(LockConfigurationError);
    await expect(locks.requestRelease('index', 5 as unknown as AbortSignal)).rejects.toThrow(
      LockConfigurationError,
    );
    await expect(locks.requestRelease('index', AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
    await locks.close();
    await expect(locks.requestRelease('index')).rejects.toThrow(LockClosedError);
    expect(events.ofType('failed')).toEqual([]);
  });
});

describe('a request to release a lock, on a bad network,', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.giveBack());

  it.each(['cutBeforeForward', 'forwardThenCutBeforeReply', 'rst'] as const)(
    'reaches the holder when a message is lost (%s)',
    async (cut) => {
      await using setup = await ProxiedLocks.start(server);
      const held = await setup.others.lock('index');
      const tokens = asked(setup.others);
      const fault = setup.proxy.once('setData', cut);
      expect(await setup.locks.requestRelease('index')).toBe(true);
      await fault.fired;
      await eventually(() => expect(tokens).toContain(held.fencingToken));
      expect(held.isHeld()).toBe(true);
    },
  );

  it.each([{}, CLOSED])('never reaches a later holder, however late it is (%o)', async (options) => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.others.lock('index', options);
    const tokens = asked(setup.others);
    const request = setup.proxy.once('setData', 'holdRequest');
    const requested = setup.locks.requestRelease('index');
    await request.fired;
    await held.release();
    const next = await setup.others.lock('index', options);
    request.release();
    expect(await requested).toBe(false);
    const [name] = await setup.contenders('index');
    const { stat } = await setup.observer.getData(`${setup.path('index')}/${name}`);
    expect(stat.version).toBe(0);
    expect(next.isHeld()).toBe(true);
    expect(tokens).toEqual([]);
  });

  it('never reaches a later hold of the same owner, which keeps the node of a closed lock', async () => {
    await using setup = await ProxiedLocks.start(server);
    const failed = await setup.others.lock('payout', CLOSED);
    await setup.others.close();
    const request = setup.proxy.once('setData', 'holdRequest');
    const requested = setup.locks.requestRelease('payout');
    await request.fired;
    await using adopting = await ProxiedLocks.start(server, { root: setup.root });
    const adopted = await adopting.others.lock('payout', CLOSED);
    const tokens = asked(adopting.others);
    request.release();
    expect(await requested).toBe(false);
    expect(adopted.fencingToken > failed.fencingToken).toBe(true);
    expect((await setup.locks.inspect('payout')).holder?.fencingToken).toBe(adopted.fencingToken);
    expect(await adopted.release()).toBe(true);
    expect(tokens).toEqual([]);
  });

  it('asks the holder, and no waiter, if the lock is closed while the queue is read', async () => {
    await using setup = await ProxiedLocks.start(server);
    const first = await setup.others.lock('payout');
    const closing = setup.others.lock('payout', CLOSED);
    await setup.hasContenders('payout', 2);
    const last = setup.others.lock('payout');
    await setup.hasContenders('payout', 3);
    const tokens = asked(setup.others);
    const list = setup.proxy.once('getChildren2', 'holdReply');
    const requested = setup.locks.requestRelease('payout');
    await list.fired;
    await first.release();
    const closed = await closing;
    list.release();
    expect(await requested).toBe(true);
    await eventually(() => tokens.length === 1);
    expect(tokens).toEqual([closed.fencingToken]);
    await closed.release();
    await (await last).release();
    expect(tokens).toHaveLength(1);
  });

  it('is not kept waiting by a child that is no contender, whatever its name', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.others.lock('index');
    const uuid = '00000000-0000-4000-8000-000000000000';
    await setup.observer.create2(`${setup.path('index')}/_c_${uuid}-closing-note`);
    expect(await setup.locks.requestRelease('index')).toBe(true);
    expect((await setup.locks.inspect('index')).holder?.fencingToken).toBe(held.fencingToken);
    await setup.observer.delete(`${setup.path('index')}/_c_${uuid}-closing-note`);
    await held.release();
  });

  it('is reported once, although the holder reads it again on its next connection', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('index');
    // The record does not come back, so that the request stays readable.
    setup.proxy.once('setData', 'dropRequest');
    expect(await setup.others.requestRelease('index')).toBe(true);
    await eventually(() => setup.count('revokeRequested') === 1);
    const reads = setup.proxy.count('getData');
    setup.proxy.cutAll();
    await eventually(() => setup.proxy.count('getData') > reads);
    await eventually(async () => (await setup.others.inspect('index')).holder?.owner !== undefined);
    expect(setup.count('revokeRequested')).toBe(1);
    expect(await held.release()).toBe(true);
  });
});

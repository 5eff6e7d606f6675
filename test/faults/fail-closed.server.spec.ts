import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLockService, LockUnavailableError } from '../../lib/index.js';
import { closedData } from '../../lib/zookeeper/recipe/closed-record.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { eventually } from '../support/eventually.js';
import { LockProcess } from '../support/lock-process.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { withError } from '../support/with-error.js';
import { ProxiedLocks } from './proxied-locks.js';

const CLOSED = { failure: 'closed', owner: 'payer-1' } as const;
const OTHER_OWNER = { failure: 'closed', owner: 'payer-2' } as const;
const CUTS = ['cutBeforeForward', 'forwardThenCutBeforeReply', 'rst'] as const;
/** A heartbeat and its reply are smaller. */
const CHANGE = { where: ({ size }: { size: number }) => size > 50 };
/** Three of them fill a session that carries as few bytes as possible. */
const LONG_NAMES = ['payout', 'refund', 'report'].map((name) => name.padEnd(1_000, '.'));
/** More requests than may be unanswered at a time. */
const SEVERAL_WINDOWS = 200;
const AUTH_FAILED = -115;
const NO_AUTH = -102;

describe('a lock that fails closed', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  it.each(CUTS)(
    'is granted once, and free after its release, when a message of the grant is lost (%s)',
    async (cut) => {
      await using setup = await ProxiedLocks.start(server);
      const fault = setup.proxy.once('multi', cut, CHANGE);
      const held = await setup.locks.lock('payout', CLOSED);
      await fault.fired;
      expect(held.isHeld()).toBe(true);
      expect(await setup.contenders('payout')).toHaveLength(1);
      expect(await setup.others.tryLock('payout')).toBeNull();
      expect(await held.release()).toBe(true);
      expect(await setup.contenders('payout')).toEqual([]);
    },
  );

  it.each(CUTS)(
    'is granted once to the process that had it last, and then to others, when a message of the grant is lost (%s)',
    async (cut) => {
      await using setup = await ProxiedLocks.start(server);
      // So many nodes that a few more transactions would be no reason to doubt the next number.
      for (let cycle = 0; cycle < 25; cycle += 1) await (await setup.locks.lock('payout', CLOSED)).release();
      const last = await setup.locks.lock('payout', CLOSED);
      await last.release();
      const joined = setup.proxy.count('create2');
      const fault = setup.proxy.once('multi', cut, CHANGE);
      const held = await setup.locks.lock('payout', CLOSED);
      await fault.fired;
      expect(setup.proxy.count('create2')).toBe(joined + (cut === 'forwardThenCutBeforeReply' ? 0 : 1));
      expect(held.fencingToken > last.fencingToken).toBe(true);
      expect(await setup.contenders('payout')).toHaveLength(1);
      expect(await setup.others.tryLock('payout')).toBeNull();
      expect(await held.release()).toBe(true);
      const other = await setup.others.lock('payout', OTHER_OWNER);
      expect(other.fencingToken > held.fencingToken).toBe(true);
      expect(await setup.contenders('payout')).toHaveLength(1);
    },
  );

  it('is granted when its owner releases it elsewhere, though no session has room for another contender', async () => {
    await using setup = await ProxiedLocks.start(server, { maxSessionPathBytes: 4_096 });
    const [payout, ...others] = LONG_NAMES;
    await setup.locks.lock(others, CLOSED);
    const elsewhere = await setup.others.lock(payout!, CLOSED);
    // The next session of the waiter cannot connect.
    setup.proxy.mute();
    const waiting = setup.locks.lock(payout!, CLOSED);
    await eventually(() => setup.count('waiting') === 1);
    await elsewhere.release();
    const held = await waiting;
    expect(held.isHeld()).toBe(true);
    expect(held.fencingToken > elsewhere.fencingToken).toBe(true);
  });

  it('is lost at once when somebody removes its node while it watches that', async () => {
    await using setup = await ProxiedLocks.start(server);
    const { proxy, observer } = setup;
    const held = await setup.locks.lock('payout', CLOSED);
    await proxy.waitFor('getData', { direction: 'reply', occurrence: proxy.count('getData', 'reply') + 1 });
    const [name] = await setup.contenders('payout');
    await observer.delete(`${setup.path('payout')}/${name}/holder`);
    await observer.delete(`${setup.path('payout')}/${name}`);
    await eventually(() => !held.isHeld());
    expect(held.signal.reason).toMatchObject({ reason: 'deleted' });
  });

  it('cannot be freed while its node has children that others have made', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('payout', CLOSED);
    const [name] = await setup.contenders('payout');
    const child = `${setup.path('payout')}/${name}/foreign`;
    await setup.observer.create2(child);
    const forced = setup.others.forceRelease('payout', { token: held.fencingToken });
    await expect(forced).rejects.toThrow(/NOT_EMPTY.*Remove the nodes that somebody has created below/s);
    expect(held.isHeld()).toBe(true);
    const releasing = held.release();
    await setup.observer.delete(child);
    expect(await releasing).toBe(true);
    expect(await setup.contenders('payout')).toEqual([]);
  });

  it('is not asked for without a pause while a node that nobody was granted has children that others have made', async () => {
    await using setup = await ProxiedLocks.start(server, { retryDelay: 60_000 });
    await (await setup.others.lock('payout')).release();
    // Written by a transaction that joined behind others: it names a former head of long ago.
    const path = `${setup.path('payout')}/_c_00000000-0000-4000-8000-000000000000-closed-lock-0000000001`;
    const owner = { owner: CLOSED.owner, host: 'shop-1', pid: 1, since: '2026-01-01T00:00:00.000Z' };
    const record = Buffer.from(closedData({ owner, token: 1n, hold: 'hold-1', after: 1n }));
    await setup.observer.create2(path, 'persistent', record);
    await setup.observer.create2(`${path}/foreign`);

    const abort = new AbortController();
    const waiting = setup.locks.lock('payout', { ...CLOSED, signal: abort.signal });
    await eventually(() => setup.count('waiting') === 1);
    const before = setup.proxy.count('multi');
    for (let look = 0; look < 20; look += 1) await setup.locks.inspect('payout');
    expect(setup.proxy.count('multi')).toBe(before);
    abort.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
  });

  it('is freed again if the process that had it last gives up before the reply of the grant', async () => {
    await using setup = await ProxiedLocks.start(server);
    for (let cycle = 0; cycle < 25; cycle += 1) await (await setup.locks.lock('payout', CLOSED)).release();
    const abort = new AbortController();
    const grant = setup.proxy.once('multi', 'holdReply', CHANGE);
    const waiting = setup.locks.lock('payout', { ...CLOSED, signal: abort.signal });
    await grant.held;
    await setup.hasContenders('payout', 1);
    abort.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    grant.release();
    const other = await setup.others.lock('payout', OTHER_OWNER);
    expect(other.isHeld()).toBe(true);
    expect(await setup.contenders('payout')).toHaveLength(1);
  });

  it('survives a lost reply of its grant, and reports that somebody has asked for its release meanwhile', async () => {
    await using setup = await ProxiedLocks.start(server);
    const fault = setup.proxy.once('multi', 'forwardThenCutBeforeReply', CHANGE);
    const trying = setup.locks.tryLock('payout', CLOSED);
    await fault.fired;
    setup.proxy.refuse();
    await setup.hasContenders('payout', 1);
    expect(await setup.others.requestRelease('payout')).toBe(true);
    await setup.proxy.accept();
    const held = await trying;
    await eventually(() => setup.count('revokeRequested') === 1);
    expect(await held?.release()).toBe(true);
    expect(await setup.contenders('payout')).toEqual([]);
  });

  it('is not granted after a lost reply if its owner has taken it over elsewhere', async () => {
    await using setup = await ProxiedLocks.start(server);
    const fault = setup.proxy.once('multi', 'forwardThenCutBeforeReply', CHANGE);
    const waiting = setup.locks.lock('payout', CLOSED);
    await fault.fired;
    setup.proxy.refuse();
    const [name] = await setup.contenders('payout');
    await setup.observer.delete(`${setup.path('payout')}/${name}/holder`);
    const taken = await setup.others.lock('payout', CLOSED);
    await setup.proxy.accept();
    await eventually(() => setup.count('waiting') === 1);
    expect(taken.isHeld()).toBe(true);
    await taken.release();
    expect((await waiting).fencingToken > taken.fencingToken).toBe(true);
  });

  it('is not taken over if it was closed behind others, by a process that could not undo that', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 4_000 });
    const { proxy, observer, others } = setup;
    for (let cycle = 0; cycle < 14; cycle += 1) await (await setup.locks.lock('payout', CLOSED)).release();
    const request = proxy.once('multi', 'holdRequest', CHANGE);
    const failing = setup.locks.lock('payout', CLOSED).catch(() => {});
    await request.held;
    // The lock path is made again, and comes to the number that the request names.
    await observer.delete(setup.path('payout'));
    for (let cycle = 0; cycle < 27; cycle += 1) await (await others.lock('payout')).release();
    const held = await others.lock('payout');
    const reply = proxy.once('multi', 'holdReply', CHANGE);
    request.release();
    await reply.held;
    proxy.refuse();
    const closed = (await setup.contenders('payout')).find((name) => name.includes('-closed-'));
    await eventually(async () => (await setup.contenders(`payout/${closed}`)).length === 0);

    await using again = await createLockService({ connectString: server.connectString, root: setup.root });
    expect(await again.tryLock('payout', CLOSED)).toBeNull();
    expect(held.isHeld()).toBe(true);
    await held.release();
    await using next = await again.lock('payout', CLOSED);
    expect(next.fencingToken > held.fencingToken).toBe(true);
    await proxy.accept();
    await setup.locks.close();
    await failing;
  });

  it.each(CUTS)('is released once when a message of the release is lost (%s)', async (cut) => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('payout', CLOSED);
    const fault = setup.proxy.once('multi', cut);
    const released = held.release();
    await fault.fired;
    expect(await released).toBe(true);
    const next = await setup.others.lock('payout', OTHER_OWNER);
    expect(await setup.contenders('payout')).toHaveLength(1);
    expect(next.isHeld()).toBe(true);
  });

  it('excludes a caller that looks for its place in a queue of unknown order while it is closed', async () => {
    await using setup = await ProxiedLocks.start(server, { localQueue: false });
    await (await setup.others.lock('payout')).release();
    // Sequence numbers near their end define no order.
    const first = `${setup.path('payout')}/_c_11111111-1111-4111-8111-111111111111-lock-2147483640`;
    await setup.observer.create2(first, 'ephemeral');
    const closing = setup.others.lock('payout', OTHER_OWNER);
    await setup.hasContenders('payout', 2);
    const look = setup.proxy.once('exists', 'holdRequest');
    const waiting = setup.locks.lock('payout');
    await look.held;
    await setup.observer.delete(first);
    const closed = await closing;
    look.release();
    await eventually(() => setup.count('waiting') === 1);
    expect(closed.isHeld()).toBe(true);
    await closed.release();
    expect((await waiting).isHeld()).toBe(true);
  });

  it('is freed by a person while its holder writes its record again', async () => {
    await using setup = await ProxiedLocks.start(server);
    const { fencingToken: token } = await setup.others.lock('payout', CLOSED);
    const [node] = await setup.contenders('payout');
    const path = `${setup.path('payout')}/${node}`;
    const read = setup.proxy.once('getData', 'holdReply');
    const freed = setup.locks.forceRelease('payout', { token });
    await read.held;
    await setup.observer.setData(path, (await setup.observer.getData(path)).data);
    read.release();
    expect(await freed).toBe(true);
    expect(await setup.contenders('payout')).toEqual([]);
  });

  it('is not said to be freed if its owner has taken it over before the request came', async () => {
    await using setup = await ProxiedLocks.start(server);
    const failed = await setup.others.lock('payout', CLOSED);
    await setup.others.close();
    await using owner = await createLockService({ connectString: server.connectString, root: setup.root });
    // So that it is connected.
    await owner.inspect('payout');
    const deletion = setup.proxy.once('multi', 'holdRequest', CHANGE);
    const freed = setup.locks.forceRelease('payout', { token: failed.fencingToken });
    await deletion.held;
    const held = await owner.lock('payout', CLOSED);
    setup.proxy.resetAll();
    expect(await freed).toBe(false);
    expect(held.isHeld()).toBe(true);
  });

  it('of another owner is waited for if its node may not be read', async () => {
    await using setup = await ProxiedLocks.start(server);
    await setup.others.lock('payout', OTHER_OWNER);
    const look = setup.proxy.rewriteReply('getData', (reply) => withError(reply, NO_AUTH));
    expect(await setup.locks.tryLock('payout', CLOSED)).toBeNull();
    await look.fired;
  });

  it.each(CUTS)('comes back to its owner once when a message of that is lost (%s)', async (cut) => {
    await using setup = await ProxiedLocks.start(server);
    const failed = await setup.others.lock('payout', CLOSED);
    await setup.others.close();
    const fault = setup.proxy.once('multi', cut, CHANGE);
    const held = await setup.locks.lock('payout', CLOSED);
    await fault.fired;
    expect(held.fencingToken > failed.fencingToken).toBe(true);
    expect(await held.release()).toBe(true);
    expect(await setup.contenders('payout')).toEqual([]);
  });

  it('stays with the caller that has got it back if another one of the process gives up at that moment', async () => {
    await using setup = await ProxiedLocks.start(server, { localQueue: false });
    await setup.others.lock('payout', CLOSED);
    await setup.others.close();
    const [name] = await setup.contenders('payout');
    const abort = new AbortController();
    // Each looks three times, the last time in the session that takes the lock over.
    const occurrence = setup.proxy.count('getData') + 6;
    const looks = setup.proxy.once('getData', 'holdReply', { occurrence: 5 });
    const refusal = setup.proxy.once('multi', 'holdReply', { ...CHANGE, occurrence: 2 });
    const [first, second] = [undefined, abort.signal].map((signal) =>
      setup.locks.lock('payout', { ...CLOSED, signal }),
    );
    await setup.proxy.waitFor('getData', { occurrence });
    looks.release();
    await refusal.held;
    const held = await first!;
    abort.abort(new Error('changed my mind'));
    await expect(second).rejects.toThrow('changed my mind');
    refusal.release();
    // More round trips of the session than it takes the second call to clean up.
    for (let n = 0; n < 4; n += 1) await (await setup.locks.lock('another')).release();
    expect(await setup.contenders(`payout/${name}`)).toHaveLength(1);
    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
    expect(await setup.contenders('payout')).toEqual([]);
  });

  it('comes back to a call that looked when the holder had no session, and never got one', async () => {
    await using setup = await ProxiedLocks.start(server);
    const { locks, proxy, observer } = setup;
    await setup.others.lock('payout', CLOSED);
    await setup.others.close();
    const [name] = await setup.contenders('payout');
    await locks.lock('payroll');
    const abort = new AbortController();
    const first = locks.lock(['payout', 'payroll'], { ...CLOSED, signal: abort.signal });
    await eventually(() => setup.count('waiting') === 1);
    const second = locks.lock('payout', CLOSED);
    await eventually(() => setup.count('waiting') === 2);
    // The second call has learned before the first one that the session of that one has ended, and looks again and again.
    const occurrence = proxy.count('getChildren2') + 2;
    await observer.delete(`${setup.path('payout')}/${name}/holder`);
    await proxy.waitFor('getChildren2', { occurrence });
    abort.abort(new Error('changed my mind'));
    await expect(first).rejects.toThrow('changed my mind');
    expect((await second).isHeld()).toBe(true);
  });

  it('can come back to its owner after a call that is aborted while it comes back', async () => {
    await using setup = await ProxiedLocks.start(server);
    await setup.others.lock('payout', CLOSED);
    await setup.others.close();
    const abort = new AbortController();
    const fault = setup.proxy.once('multi', 'holdReply', CHANGE);
    const call = setup.locks.lock('payout', { ...CLOSED, signal: abort.signal });
    await fault.held;
    abort.abort(new Error('changed my mind'));
    await expect(call).rejects.toThrow('changed my mind');
    fault.release();
    const held = await setup.locks.lock('payout', CLOSED);
    expect(await held.release()).toBe(true);
    expect(await setup.contenders('payout')).toEqual([]);
  });

  it('leaves nothing behind if the call is aborted while its grant is on the way', async () => {
    await using setup = await ProxiedLocks.start(server);
    const abort = new AbortController();
    const fault = setup.proxy.once('multi', 'forwardThenCutBeforeReply', CHANGE);
    const call = setup.locks.lock('payout', { ...CLOSED, signal: abort.signal });
    await fault.fired;
    abort.abort(new Error('changed my mind'));
    await expect(call).rejects.toThrow('changed my mind');
    await eventually(async () => (await setup.contenders('payout')).length === 0);
  });

  it.each(['its service closes', 'its caller leaves, and then its service closes'])(
    'leaves nothing behind if %s while its grant is on the way',
    async (end) => {
      await using setup = await ProxiedLocks.start(server);
      const abort = new AbortController();
      const grant = setup.proxy.once('multi', 'holdReply', CHANGE);
      const call = setup.locks.lock('payout', { ...CLOSED, signal: abort.signal });
      await grant.held;
      if (end.startsWith('its caller')) abort.abort();
      const closed = setup.locks.close();
      await expect(call).rejects.toMatchObject(
        abort.signal.aborted ? { name: 'AbortError' } : { code: 'LOCK_CLOSED' },
      );
      grant.release();
      await closed;
      expect(await setup.contenders('payout')).toEqual([]);
    },
  );

  it.each(CUTS)(
    'is free after a shutdown during its release, a message of which is lost (%s)',
    async (cut) => {
      await using setup = await ProxiedLocks.start(server);
      const held = await setup.locks.lock('payout', CLOSED);
      const fault = setup.proxy.once('multi', cut);
      const released = held.release();
      await Promise.all([setup.locks.close(), fault.fired]);
      expect(await released).toBe(true);
      expect(await setup.contenders('payout')).toEqual([]);
    },
  );

  it('is asked for in vain while it is being granted: it has no holder yet', async () => {
    await using setup = await ProxiedLocks.start(server);
    const grant = setup.proxy.once('multi', 'holdRequest', CHANGE);
    const acquiring = setup.locks.lock('payout', CLOSED);
    await grant.held;
    expect(await setup.others.requestRelease('payout')).toBe(false);
    grant.release();
    await acquiring;
    expect(await setup.others.requestRelease('payout')).toBe(true);
    await eventually(() => setup.count('revokeRequested') === 1);
  });

  it('leaves nothing behind if the reply of the grant is lost, and the server refuses to tell of it', async () => {
    await using setup = await ProxiedLocks.start(server);
    const grant = setup.proxy.once('multi', 'forwardThenCutBeforeReply', CHANGE);
    const look = setup.proxy.rewriteReply('exists', (reply) => withError(reply, NO_AUTH));
    await expect(setup.locks.lock('payout', CLOSED)).rejects.toThrow(LockUnavailableError);
    await Promise.all([grant.fired, look.fired]);
    await eventually(async () => (await setup.contenders('payout')).length === 0);
  });

  it('is held on when its session expires, excludes all others, and is released in the next session', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000 });
    const held = await setup.locks.lock('payout', CLOSED);
    const [name] = await setup.contenders('payout');
    const open = await setup.locks.lock('sign-of-expiry');
    setup.proxy.refuse();
    // Granted when the server has expired the session.
    await setup.others.lock('sign-of-expiry');
    expect(open.isHeld()).toBe(false);
    expect(held.isHeld()).toBe(true);
    expect(await setup.others.tryLock('payout')).toBeNull();
    await setup.proxy.accept();
    await eventually(() => setup.count('sessionExpired') === 1);
    // The same owner elsewhere may not have it: its holder is there again.
    await eventually(async () => (await setup.contenders(`payout/${name}`)).length === 1);
    expect(await setup.others.tryLock('payout', CLOSED)).toBeNull();
    expect(held.isHeld()).toBe(true);
    expect(setup.events.filter(({ type }) => type === 'lost')).toMatchObject([
      { resource: 'sign-of-expiry' },
    ]);
    expect(await held.release()).toBe(true);
    expect(await setup.contenders('payout')).toEqual([]);
  });

  it('is released behind its move to the next session, when many move at once', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 2_000 });
    using warn = vi.spyOn(Logger.prototype, 'warn');
    const names = Array.from({ length: SEVERAL_WINDOWS }, (_, n) => `payout-${n}`);
    const held = await Promise.all(names.map((name) => setup.locks.lock(name, CLOSED)));
    await setup.locks.lock('sign-of-expiry');
    setup.proxy.refuse();
    await setup.others.lock('sign-of-expiry');
    const moves = setup.proxy.once('multi', 'holdReply', CHANGE);
    await setup.proxy.accept();
    await moves.held;
    // So few that the moves that have not left can follow their releases at once.
    const given = held.filter((_, n) => n % 10 === 0);
    const releases = given.map((lock) => lock.release());
    moves.release();
    expect(await Promise.all(releases)).toEqual(given.map(() => true));
    expect(warn.mock.calls.flat().filter((text) => String(text).includes('Could not release'))).toEqual([]);
    const left = await Promise.all(given.map(({ resource }) => setup.contenders(resource)));
    expect(left.flat()).toEqual([]);
  });

  it('comes to another process of its owner that has waited before it was closed, behind somebody else', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 2_000 });
    await using twin = await createLockService({
      connectString: server.connectString,
      root: setup.root,
      sessionTimeout: 2_000,
    });
    const before = await setup.others.lock('payout');
    const first = setup.locks.lock('payout', CLOSED);
    await setup.hasContenders('payout', 2);
    void setup.others.lock('payout').catch(() => {});
    await setup.hasContenders('payout', 3);
    const second = twin.lock('payout', CLOSED);
    await setup.hasContenders('payout', 4);
    await before.release();
    const failed = await first;
    setup.proxy.refuse();
    const held = await second;
    expect(held.fencingToken).toBeGreaterThan(failed.fencingToken);
    expect(await held.release()).toBe(true);
    await setup.proxy.accept();
  });

  it('is lost when the servers refuse the credentials of the next session', async () => {
    const auth = { credential: 'payer:secret' };
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000, auth });
    const held = await setup.locks.lock('payout', CLOSED);
    await setup.locks.lock('sign-of-expiry');
    setup.proxy.refuse();
    await setup.others.lock('sign-of-expiry');
    setup.proxy.rewriteReply('auth', (reply) => withError(reply, AUTH_FAILED));
    await setup.proxy.accept();
    await eventually(() => setup.count('authenticationFailed') === 1);
    await eventually(() => setup.count('lost') === 2);
    expect(held.signal.reason).toMatchObject({ reason: 'authentication', resource: 'payout' });
    expect(held.isHeld()).toBe(false);
    expect(await held.release()).toBe(false);
    expect(await setup.others.tryLock('payout')).toBeNull();
  });

  it('is lost when its owner has got it elsewhere while it had no contact, and its late release hits nobody', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000 });
    const held = await setup.locks.lock('payout', CLOSED);
    setup.proxy.refuse();
    const elsewhere = await setup.others.lock('payout', CLOSED);
    expect(elsewhere.fencingToken > held.fencingToken).toBe(true);
    await setup.proxy.accept();
    await eventually(() => setup.count('lost') === 1);
    expect(held.signal.reason).toMatchObject({ reason: 'deleted' });
    expect(await held.release()).toBe(false);
    expect(elsewhere.isHeld()).toBe(true);
    expect(await setup.contenders('payout')).toHaveLength(1);
    expect(await elsewhere.release()).toBe(true);
  });

  it.each(['__REVOKE__', 'anything'])(
    'is kept when another client overwrites its data with %s, and its record comes back (H37)',
    async (text) => {
      await using setup = await ProxiedLocks.start(server);
      const held = await setup.locks.lock('payout', CLOSED);
      const [name] = await setup.contenders('payout');
      const path = `${setup.path('payout')}/${name}`;
      const written = (await setup.observer.getData(path)).data;
      await setup.observer.setData(path, Buffer.from(text));
      await eventually(async () => (await setup.observer.getData(path)).data.equals(written));
      expect(held.isHeld()).toBe(true);
      expect(setup.count('revokeRequested')).toBe(text === '__REVOKE__' ? 1 : 0);
      expect(await held.release()).toBe(true);
      expect(await setup.contenders('payout')).toEqual([]);
    },
  );

  it('is kept when its data are overwritten twice before its holder looks', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('payout', CLOSED);
    const [name] = await setup.contenders('payout');
    const path = `${setup.path('payout')}/${name}`;
    const written = (await setup.observer.getData(path)).data;
    const look = setup.proxy.once('getData', 'holdRequest');
    await setup.observer.setData(path, Buffer.from('anything'));
    await look.held;
    await setup.observer.setData(path, Buffer.from('anything else'));
    look.release();
    await eventually(async () => (await setup.observer.getData(path)).data.equals(written));
    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
  });

  it.each(['holds it', 'has released it'])(
    'is not taken from its owner, who has it elsewhere and whose record is overwritten, by the holder before, who %s',
    async (state) => {
      await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000 });
      const { observer } = setup;
      const held = await setup.locks.lock('payout', CLOSED);
      const path = `${setup.path('payout')}/${(await setup.contenders('payout'))[0]}`;
      setup.proxy.refuse();
      const released = state === 'holds it' ? undefined : held.release();
      await eventually(async () => (await observer.getChildren(path)).length === 0);
      // As another process of the owner does it, which somebody asks for the lock then.
      const record = JSON.parse((await observer.getData(path)).data.toString()) as object;
      const token = String(held.fencingToken + 1n);
      await observer.setData(path, Buffer.from(JSON.stringify({ ...record, token, hold: 'elsewhere' })));
      await observer.create2(`${path}/holder`, 'ephemeral');
      await observer.setData(path, Buffer.from('__REVOKE__'));
      await setup.proxy.accept();
      if (released === undefined) await eventually(() => setup.count('lost') === 1);
      else expect(await released).toBe(false);
      expect(held.isHeld()).toBe(false);
      expect((await observer.getData(path)).data.toString()).toBe('__REVOKE__');
    },
  );

  it('comes back to a call that looked while its record was overwritten', async () => {
    await using setup = await ProxiedLocks.start(server);
    await setup.locks.lock('payout', CLOSED);
    const [name] = await setup.contenders('payout');
    const writing = setup.proxy.once('setData', 'holdRequest');
    await setup.observer.setData(`${setup.path('payout')}/${name}`, Buffer.from('__REVOKE__'));
    await writing.held;
    const log = new EventRecorder(setup.others);
    const next = setup.others.lock('payout', CLOSED);
    await log.told('waiting');
    writing.release();
    await setup.proxy.waitFor('setData', { direction: 'reply' });

    await setup.locks.close();

    expect((await next).isHeld()).toBe(true);
    await setup.hasContenders('payout', 1);
  });

  it('reports a request to release it although the reply that its record is back is lost', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('payout', CLOSED);
    const [name] = await setup.contenders('payout');
    const path = `${setup.path('payout')}/${name}`;
    const fault = setup.proxy.once('setData', 'forwardThenCutBeforeReply');
    await setup.observer.setData(path, Buffer.from('__REVOKE__'));
    await fault.fired;
    await eventually(() => setup.count('resumed') === 1);
    expect(await held.release()).toBe(true);
    expect(setup.count('revokeRequested')).toBe(1);
  });

  it('is released although another client overwrites its data at that moment', async () => {
    await using setup = await ProxiedLocks.start(server);
    const held = await setup.locks.lock('payout', CLOSED);
    const [name] = await setup.contenders('payout');
    const overwritten = setup.observer.setData(`${setup.path('payout')}/${name}`, Buffer.from('__REVOKE__'));
    const [released] = await Promise.allSettled([held.release(), overwritten]);
    expect(released).toMatchObject({ value: true });
    expect(await setup.contenders('payout')).toEqual([]);
  });

  it('is released as soon as there is contact again, even in another session', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000 });
    const held = await setup.locks.lock('payout', CLOSED);
    await setup.locks.lock('sign-of-expiry');
    setup.proxy.refuse();
    await setup.others.lock('sign-of-expiry');
    const released = held.release();
    expect(await setup.others.tryLock('payout')).toBeNull();
    await setup.proxy.accept();
    expect(await released).toBe(true);
    expect(await setup.contenders('payout')).toEqual([]);
  });

  it('stays with a process that is killed with -9, until that starts again under its name', async () => {
    const { connectString } = server;
    const options = { connectString, sessionTimeout: 2_000, root: '/killed' };
    await using rival = await LockProcess.start(options);
    const killed = await LockProcess.start(options);
    const token = await killed.lock('hold', 'payout', CLOSED);
    await killed.lock('sign', 'sign-of-death');
    const waits = rival.lock('wait', 'payout');
    await rival.queueLength('payout', 2);
    await killed.kill();
    // Granted when the server has expired the session of the dead.
    await rival.lock('sign', 'sign-of-death');
    await rival.queueLength('payout', 2);
    await using restarted = await LockProcess.start(options);
    const again = await restarted.lock('hold', 'payout', CLOSED);
    expect(BigInt(String(again)) > BigInt(String(token))).toBe(true);
    await restarted.release('hold');
    expect(BigInt(String(await waits)) > BigInt(String(again))).toBe(true);
  });
});

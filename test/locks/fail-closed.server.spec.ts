import { describe, expect, it, vi } from 'vitest';
import {
  LockBusyError,
  LockConfigurationError,
  type LockEvent,
  type LockOptions,
  type LockService,
} from '../../lib/index.js';
import { useLockReplicas } from '../fixtures/lock-replicas.js';
import { eventually } from '../support/eventually.js';

const CLOSED = { failure: 'closed' } as const;

describe('locks that fail closed', () => {
  const { replica, queued, contenders, createContender, deleteContender } = useLockReplicas();

  /** Its session has ended while it had the lock: to everybody else, it is as if it had been killed. */
  async function failedHolder(options: LockOptions = {}): Promise<{ token: bigint }> {
    const locks = await replica({ owner: 'payer-1' });
    const held = await locks.lock('payout', { ...CLOSED, ...options });
    await locks.close();
    return { token: held.fencingToken };
  }

  it.each(['exclusive', 'write'] as const)(
    'is one node, and free when it is released: mode %s',
    async (mode) => {
      const locks = await replica({ owner: 'payer-1' });
      const held = await locks.lock('payout', { ...CLOSED, mode, purpose: 'monthly' });
      expect(held).toMatchObject({ mode, owner: 'payer-1' });
      expect(await contenders('payout')).toHaveLength(1);
      expect(await locks.inspect('payout')).toMatchObject({
        holder: {
          owner: { owner: 'payer-1', purpose: 'monthly' },
          fencingToken: held.fencingToken,
          mode,
          failure: 'closed',
        },
        waiters: [],
      });
      expect(await held.release()).toBe(true);
      expect(await contenders('payout')).toEqual([]);
      expect(held.isHeld()).toBe(false);
    },
  );

  it('passes on in the order of the calls, whatever their failure option, with increasing tokens', async () => {
    const [here, there] = [await replica({ owner: 'payer-1' }), await replica({ owner: 'payer-2' })];
    const first = await here.lock('payout', CLOSED);
    const calls = [];
    for (const [locks, options] of [
      [there, {}],
      [here, CLOSED],
      [there, CLOSED],
      [here, {}],
      [there, { mode: 'read' }],
    ] as const)
      calls.push(await queued(locks, 'payout', options));
    let held = first;
    for (const [index, { lock }] of calls.entries()) {
      expect(await held.release()).toBe(true);
      const next = await lock;
      expect(next.isHeld()).toBe(true);
      // After these replies, everybody knows that the contender of a closed lock has made room for its node.
      await Promise.all([here.inspect('payout'), there.inspect('payout')]);
      expect(calls.filter(({ isGranted }) => isGranted)).toHaveLength(index + 1);
      expect(next.fencingToken > held.fencingToken).toBe(true);
      held = next;
    }
    await held.release();
    expect(await contenders('payout')).toEqual([]);
  });

  it('stays taken when its holder has failed, and waiters know for whom they wait', async () => {
    const { token } = await failedHolder();
    const locks = await replica({ owner: 'payer-2' });
    expect(await locks.tryLock('payout')).toBeNull();
    expect(await locks.tryLock('payout', { mode: 'read' })).toBeNull();
    expect(await locks.tryLock('payout', CLOSED)).toBeNull();
    await expect(locks.lock('payout', { wait: 0 })).rejects.toThrow(LockBusyError);
    await expect(locks.lock('payout', { wait: 0 })).rejects.toThrow('held by payer-1');
    // The waiter reads later who is ahead, and no event tells when it has.
    let wait = 50;
    await eventually(async () => {
      wait *= 2;
      const late = await locks.lock('payout', { wait }).then(() => 'granted', String);
      return late.includes('ahead in the queue is payer-1, which holds it until it releases it');
    });
    const { holder } = await locks.inspect('payout');
    expect(holder).toMatchObject({ owner: { owner: 'payer-1' }, fencingToken: token });
  });

  it('is granted to nobody while its holder fails, not even to those who wait already', async () => {
    const holder = await replica({ owner: 'payer-1' });
    const rivals = await replica({ owner: 'payer-2', localQueue: false });
    await holder.lock('payout', CLOSED);
    const waiting = [
      await queued(rivals, 'payout'),
      await queued(rivals, 'payout', { mode: 'read' }),
      await queued(rivals, 'payout', CLOSED),
    ];
    await holder.close();
    const late = await queued(rivals, 'payout');
    expect([...waiting, late].map(({ isGranted }) => isGranted)).toEqual([false, false, false, false]);
    const { holder: member, waiters } = await rivals.inspect('payout');
    expect(member?.owner?.owner).toBe('payer-1');
    expect(waiters).toHaveLength(4);
  });

  it('stays closed if its owner asks for it together with a lock that is busy', async () => {
    await failedHolder();
    const others = await replica({ owner: 'payer-2' });
    await others.lock('refund');
    const restarted = await replica({ owner: 'payer-1' });
    const both = restarted.lock(['payout', 'refund'], { ...CLOSED, wait: 0 });
    await expect(both).rejects.toMatchObject({ code: 'LOCK_BUSY', resource: 'refund' });
    expect(await others.tryLock('payout')).toBeNull();
    await using recovered = await restarted.lock('payout', CLOSED);
    expect(recovered.isHeld()).toBe(true);
    expect(await others.tryLock('payout')).toBeNull();
  });

  it('stays taken until the work ends if another lock of the same call is lost', async () => {
    const [here, there] = [await replica({ owner: 'payer-1' }), await replica({ owner: 'payer-2' })];
    const held = await here.lock(['payout', 'refund'], CLOSED);
    const lost = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    const token = held.member('refund').fencingToken;
    expect(await there.forceRelease('refund', { token })).toBe(true);
    await lost;
    expect(held.member('payout').signal.reason).toMatchObject({ reason: 'together' });
    expect(held.member('payout').isHeld()).toBe(false);
    await using refund = await there.lock('refund');
    expect(refund.isHeld()).toBe(true);
    const waiting = await queued(there, 'payout');
    expect(await contenders('payout')).toHaveLength(2);
    expect(waiting.isGranted).toBe(false);
    expect(await held.release()).toBe(false);
    await (await waiting.lock).release();
    expect(await contenders('payout')).toEqual([]);
  });

  it('comes back to its owner after a restart, ahead of all who wait, with a token between theirs', async () => {
    const { token } = await failedHolder();
    const rivals = await replica({ owner: 'payer-2' });
    const waiting = await queued(rivals, 'payout');
    const restarted = await replica({ owner: 'payer-1' });
    const held = await restarted.lock('payout', { ...CLOSED, purpose: 'recovery' });
    expect(held.isHeld()).toBe(true);
    expect(held.fencingToken > token).toBe(true);
    expect(await restarted.inspect('payout')).toMatchObject({
      holder: { owner: { owner: 'payer-1', purpose: 'recovery' }, fencingToken: held.fencingToken },
    });
    expect(waiting.isGranted).toBe(false);
    expect(await held.release()).toBe(true);
    const next = await waiting.lock;
    expect(next.fencingToken > held.fencingToken).toBe(true);
    await next.release();
    expect(await contenders('payout')).toEqual([]);
  });

  it('comes back also to a call that does not wait, and again and again', async () => {
    let { token } = await failedHolder();
    for (let restart = 0; restart < 3; restart += 1) {
      const restarted = await replica({ owner: 'payer-1' });
      const disconnected = vi.fn();
      restarted.disconnected$.subscribe(disconnected);
      const held = await restarted.tryLock('payout', CLOSED);
      expect(held!.fencingToken > token).toBe(true);
      expect(disconnected).not.toHaveBeenCalled();
      token = held!.fencingToken;
      await restarted.close();
    }
    expect(await contenders('payout')).toHaveLength(1);
  });

  it('is not given to its own owner while the holder is there: two processes with one name exclude each other', async () => {
    const [first, second] = [await replica({ owner: 'payer' }), await replica({ owner: 'payer' })];
    const held = await first.lock('payout', CLOSED);
    expect(await first.tryLock('payout', CLOSED)).toBeNull();
    expect(await second.tryLock('payout', CLOSED)).toBeNull();
    const [here, there] = [await queued(first, 'payout', CLOSED), await queued(second, 'payout', CLOSED)];
    expect([here.isGranted, there.isGranted]).toEqual([false, false]);
    await held.release();
    const next = await here.lock;
    expect(there.isGranted).toBe(false);
    // Its session ends: the process of the same name that waits already has the lock.
    await first.close();
    expect((await there.lock).fencingToken > next.fencingToken).toBe(true);
  });

  it('comes back only to a call with `failure: closed`', async () => {
    await failedHolder();
    const restarted = await replica({ owner: 'payer-1' });
    expect(await restarted.tryLock('payout')).toBeNull();
  });

  it('is not blocked by a waiter that fails', async () => {
    const holder = await replica({ owner: 'payer-1' });
    const held = await holder.lock('payout', CLOSED);
    const failing = await replica({ owner: 'payer-2' });
    const { lock } = await queued(failing, 'payout', CLOSED);
    await Promise.all([failing.close(), expect(lock).rejects.toThrow('shutting down')]);
    await held.release();
    const next = await holder.lock('payout');
    expect(next.isHeld()).toBe(true);
  });

  it('does not come from a node that somebody has written behind the holder', async () => {
    const holder = await replica({ owner: 'payer-2' });
    const held = await holder.lock('payout');
    const id = '11111111-1111-4111-8111-111111111111';
    const hold = {
      owner: 'payer-1',
      host: 'web-1',
      pid: 1,
      since: new Date().toISOString(),
      token: '1',
      hold: id,
    };
    await createContender('payout', `_c_${id}-closed-lock-0000000007`, hold);
    const owner = await replica({ owner: 'payer-1' });
    expect(await owner.tryLock('payout', CLOSED)).toBeNull();
    const waiting = await queued(owner, 'payout', CLOSED);
    expect(waiting.isGranted).toBe(false);
    expect(held.isHeld()).toBe(true);
    expect((await owner.inspect('payout')).holder).toMatchObject({ fencingToken: held.fencingToken });
  });

  it('can be freed by a person, who hits only the hold with the given token', async () => {
    const { token } = await failedHolder();
    const admin = await replica();
    expect(await admin.forceRelease('payout', { token: token + 1n })).toBe(false);
    expect(await admin.forceRelease('other', { token })).toBe(false);
    expect(await contenders('payout')).toHaveLength(1);
    expect(await admin.forceRelease('payout', { token })).toBe(true);
    expect(await contenders('payout')).toEqual([]);
    const later = await (await replica({ owner: 'payer-1' })).lock('payout', CLOSED);
    expect(await admin.forceRelease('payout', { token })).toBe(false);
    expect(later.isHeld()).toBe(true);
    expect(await admin.inspect('payout')).toMatchObject({ holder: { fencingToken: later.fencingToken } });
  });

  it('does not free an open lock', async () => {
    const locks = await replica();
    const held = await locks.lock('payout');
    expect(await locks.forceRelease('payout', { token: held.fencingToken })).toBe(false);
    expect(held.isHeld()).toBe(true);
  });

  it.each(['forceRelease', 'a deletion by hand'])('is lost at once by %s', async (how) => {
    const locks = await replica({ owner: 'payer-1' });
    const held = await locks.lock('payout', CLOSED);
    const lost = new Promise<LockEvent>((resolve) => void locks.lost$.subscribe(resolve));
    if (how === 'forceRelease') await locks.forceRelease('payout', { token: held.fencingToken });
    else {
      const [name] = await contenders('payout');
      await deleteContender('payout', `${name}/holder`);
      await deleteContender('payout', name!);
    }
    expect(await lost).toMatchObject({ reason: 'deleted', fencingToken: held.fencingToken });
    expect(held.isHeld()).toBe(false);
    expect(held.signal.aborted).toBe(true);
    expect(await held.release()).toBe(false);
    expect(await (await locks.lock('payout', CLOSED)).release()).toBe(true);
  });

  it('ends with its ttl, and after minHold', async () => {
    const locks = await replica({ owner: 'payer-1' });
    const held = await locks.lock('payout', { ...CLOSED, ttl: 30 });
    const next = await locks.lock('payout', { ...CLOSED, minHold: 30 });
    expect(held.signal.reason).toMatchObject({ reason: 'ttl' });
    expect(await next.release()).toBe(true);
    expect(await (await locks.lock('payout', CLOSED)).release()).toBe(true);
  });

  it('can be held together with others, and by nested calls', async () => {
    const locks = await replica({ owner: 'payer-1', defaults: { reentrant: true } });
    await locks.withLock(['a', 'b'], CLOSED, async ({ members }) => {
      expect(members.map(({ resource }) => resource)).toEqual(['a', 'b']);
      await locks.withLock('a', CLOSED, async ({ fencingToken }) => {
        expect(fencingToken).toBe(members[0]!.fencingToken);
        expect(await contenders('a')).toHaveLength(1);
      });
      expect(members.every((member) => member.isHeld())).toBe(true);
    });
    expect([await contenders('a'), await contenders('b')]).toEqual([[], []]);
  });

  it.each([
    ['without a stable owner', { failure: 'closed' }, 'needs an `owner` that is the same after a restart'],
    ['with read', { ...CLOSED, owner: 'me', mode: 'read' }, "Got mode 'read'"],
    ['with permits', { ...CLOSED, owner: 'me', permits: 2 }, "Got mode 'semaphore'"],
    ['with another value', { failure: 'shut' }, "'open' or 'closed': got 'shut' (string)"],
  ] as const)('is refused %s', async (_what, options, message) => {
    const locks: LockService = await replica();
    await expect(locks.lock('payout', options as LockOptions)).rejects.toThrow(LockConfigurationError);
    await expect(locks.lock('payout', options as LockOptions)).rejects.toThrow(message);
  });

  it.each([undefined, null, 5n, {}, { token: 5 }, { token: '5' }, { token: 0n }])(
    'is not freed for %s, which names no hold',
    async (options) => {
      const locks = await replica();
      await expect(locks.forceRelease('payout', options as { token: bigint })).rejects.toThrow('token');
    },
  );
});

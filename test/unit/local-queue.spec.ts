import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { QueuedPlace, Release } from '../../lib/locking/lock-provider.interface.js';
import { settled } from './fake-clock.js';
import { LocalQueueHarness, ownerNamed } from './local-queue-harness.js';
import { watched } from './manager-harness.js';
import { StoreGrant, type StorePlace } from './scripted-store.js';

let harness: LocalQueueHarness;

beforeEach(() => {
  harness = new LocalQueueHarness();
});

/** Callers ask, and the store grants their place. */
async function holding(...names: string[]): Promise<StoreGrant> {
  await harness.ask(...names);
  return place(0).grant(new StoreGrant(1));
}

function place(index: number): StorePlace {
  return harness.store.places[index]!;
}

const log = (name: string): readonly string[] => harness.caller(name).log;

describe('callers of one process', () => {
  it('share one place in the queue of the store, and its turn', async () => {
    const grant = await holding('a', 'b', 'c');
    await harness.release('a');
    await harness.release('b');
    expect(harness.granted).toEqual(['a', 'b', 'c']);
    expect(grant.releases).toBe(0);
    await harness.release('c');
    expect(grant.releases).toBe(1);
    expect(harness.store.places).toHaveLength(1);
  });

  it('hear of a release request that arrives between two holders', async () => {
    harness = new LocalQueueHarness({ handOver: 1 });
    const grant = await holding('a');
    await harness.ask('b');
    await harness.release('a');
    expect(log('b')).not.toContain('granted');
    grant.requestRevocation();
    await settled();
    expect(log('b').slice(-2)).toEqual(['granted', 'revoke']);
    await harness.ask('c');
    await harness.release('b');
    await place(1).grant(new StoreGrant(2));
    expect(log('c').at(-1)).toBe('granted');
  });

  it('hear of a release request that arrives before they listen', async () => {
    await harness.ask('a', 'b');
    const grant = await place(0).grant(new StoreGrant(1));
    harness.caller('a').grant!.release(true);
    grant.requestRevocation();
    expect(log('b').at(-1)).toBe('queued 1');
    await settled();
    expect(log('b').slice(-2)).toEqual(['granted', 'revoke']);
  });

  it('hear of a release request that came to one who declines the lock', async () => {
    await harness.ask('a', 'b', 'c');
    const grant = await place(0).grant(new StoreGrant(1));
    harness.declining.add('b');
    harness.caller('a').grant!.release(true);
    grant.requestRevocation();
    await settled();
    expect(log('c').slice(-2)).toEqual(['granted', 'revoke']);
  });

  it('have a larger token each', async () => {
    await holding('a', 'b');
    const first = harness.caller('a').grant!.fencingToken;
    await harness.release('a');
    expect(harness.caller('b').grant!.fencingToken).toBe(first + 1n);
  });

  it('are told their places, and who is ahead of them', async () => {
    await harness.ask('a', 'b');
    await place(0).queue(2);
    place(0).request.onPredecessor({ owner: 'another process' });
    await harness.ask('c');
    expect(log('a')).toEqual(['queued 2', 'behind another process']);
    expect(log('b')).toEqual(['behind a', 'queued 3']);
    expect(log('c')).toEqual(['behind b', 'queued 4']);
  });

  it('are told who is ahead in the store when all local ones before them have given up', async () => {
    await harness.ask('a', 'b');
    await place(0).queue(1);
    place(0).request.onPredecessor({ owner: 'another process', staysClosed: true });
    harness.caller('a').abort.abort('enough');
    expect(log('b')).toEqual(['behind a', 'queued 2', 'behind another process']);
  });

  it('are told who is ahead of one whose queue was full', async () => {
    await harness.ask('a');
    await harness.askFor('b', { maxWaiters: 1 });
    await harness.ask('c');
    expect(log('c')).toEqual(['behind b']);
    await place(0).queue(1);
    expect(log('b').at(-1)).toBe('busy 1');
    expect(log('c')).toEqual(['behind b', 'behind a', 'queued 2']);
  });

  it('are told of new places when their turn is over before they have had it', async () => {
    const grant = await holding('a', 'b', 'c');
    expect(log('c')).toEqual(['behind b', 'queued 2']);
    grant.deadline = -Infinity;
    await harness.release('a');
    await place(1).queue(1);
    expect(log('b').at(-1)).toBe('requeued 1');
    expect(log('c').at(-1)).toBe('requeued 2');
  });

  it('are told nothing if their turn has no token left, and nobody else is queued', async () => {
    await harness.ask('a', 'b', 'c');
    await place(0).grant(new StoreGrant(1, 2));
    await harness.release('a');
    await place(1).queue(1);
    expect(log('c')).toEqual(['behind b', 'queued 2']);
    await place(1).queue(2);
    expect(log('c').at(-1)).toBe('requeued 2');
  });

  it('may give up while others are told their places', async () => {
    await harness.ask('a');
    await harness.askFor('b', { onQueued: () => harness.caller('c').abort.abort('enough') });
    await harness.ask('c', 'd');
    await place(0).queue(1);
    expect(log('c')).toEqual(['behind b', 'failed: enough']);
    expect(log('d').at(-1)).toBe('queued 3');
    await place(0).grant(new StoreGrant(1));
    await harness.release('a');
    await harness.release('b');
    expect(harness.granted).toEqual(['a', 'b', 'd']);
  });

  it('have their turn one after the other, without those who have given up', async () => {
    await holding('a', 'b', 'c', 'd');
    harness.caller('c').abort.abort('enough');
    await harness.release('a');
    await harness.release('b');
    expect(harness.granted).toEqual(['a', 'b', 'd']);
    expect(log('c').at(-1)).toBe('failed: enough');
  });

  it('leave the queue of the store when the last of them has given up', async () => {
    await harness.ask('a', 'b');
    harness.caller('a').abort.abort('enough');
    expect(place(0).hasLeft).toBe(false);
    harness.caller('b').abort.abort('enough');
    expect(place(0).hasLeft).toBe(true);
  });

  it('do not keep the event loop to themselves', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `${index}`);
    await holding(...names);
    harness.releasesAtOnce = true;
    let grantedInOneTurn = 0;
    setImmediate(() => (grantedInOneTurn = harness.granted.length));

    await harness.release('0');

    expect(grantedInOneTurn).toBeLessThan(20);
    await vi.waitFor(() => expect(harness.granted).toEqual(names));
  });
});

describe('a caller that asks when the turn has begun', () => {
  it('has its turn while no other process is queued', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    expect(grant.asked).toBe(1);
    await grant.answer(0);
    await harness.release('a');
    expect(harness.granted).toEqual(['a', 'b']);
  });

  it('waits in contact as long as its process has the lock, and then as long as the store answers', async () => {
    await holding('a');
    let place: QueuedPlace | undefined;
    await harness.askFor('b', { onQueued: (told) => (place = told) });
    harness.store.isInContact = false;
    expect(place?.inContact()).toBe(true);
    await harness.release('a', false);
    expect(place?.inContact()).toBe(false);
    harness.store.isInContact = true;
    expect(place?.inContact()).toBe(true);
  });

  it('waits until it is known whether another process is queued', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    await harness.release('a');
    expect(harness.granted).toEqual(['a']);
    expect(grant.releases).toBe(0);
    await grant.answer(0);
    expect(harness.granted).toEqual(['a', 'b']);
  });

  describe('and its predecessor, who releases the lock before that is known, waits until', () => {
    let grant: StoreGrant;
    let release: Release;
    let isFreed: () => Promise<boolean>;
    let isConfirmed: () => Promise<boolean>;
    let isSent: () => Promise<boolean>;

    beforeEach(async () => {
      harness = new LocalQueueHarness({ linger: 100 });
      await harness.ask('a');
      grant = await place(0).grant(new StoreGrant(1, undefined, 0, true));
      await harness.ask('b');
      release = harness.caller('a').grant!.release(true);
      [isFreed, isConfirmed] = [watched(release.freed), watched(release.confirmed)];
      isSent = watched(release.sent);
      expect([await isFreed(), await isConfirmed(), await isSent()]).toEqual([false, false, false]);
    });

    it('the lock is free, if another process is queued', async () => {
      await grant.answer(1);
      expect(grant.releases).toBe(1);
      expect([await isFreed(), await isConfirmed(), await isSent()]).toEqual([false, false, false]);
      grant.leave();
      expect([await isFreed(), await isConfirmed(), await isSent()]).toEqual([false, false, true]);
      grant.confirm();
      expect([await isFreed(), await isConfirmed()]).toEqual([true, true]);
    });

    it('the contact is lost, if another process is queued', async () => {
      await grant.answer(1);
      grant.loseContact();
      expect([await isFreed(), await isConfirmed()]).toEqual([false, true]);
    });

    it('the other caller has it', async () => {
      await grant.answer(0);
      expect(harness.granted).toEqual(['a', 'b']);
      expect([await isFreed(), await isConfirmed(), await isSent()]).toEqual([true, true, true]);
    });

    it('the store is out of contact, although the lock may not be free', async () => {
      grant.isSuspended = true;
      await expect(release.sent).resolves.toBeUndefined();
      await expect(release.confirmed).resolves.toBe(true);
      expect(await isFreed()).toBe(false);
    });

    it('the lock lingers, because the other caller has left', async () => {
      harness.caller('b').abort.abort(new Error('left'));
      expect([await isFreed(), await isConfirmed()]).toEqual([true, true]);
      expect(grant.releases).toBe(0);
    });

    it.each([
      ['session', true],
      ['deleted', false],
    ] as const)('the lock is free, if it is lost (%s); it was kept: %s', async (reason, wasKept) => {
      grant.lose(reason);
      await settled();
      expect([grant.releases, await isFreed(), await isConfirmed()]).toEqual([1, false, false]);
      grant.confirm(false);
      expect([await release.freed, await release.confirmed]).toEqual([wasKept, wasKept]);
    });
  });

  it('waits behind another process, at a place that is taken at once', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    await grant.answer(1);
    expect(harness.store.places).toHaveLength(2);
    await harness.release('a');
    expect(grant.releases).toBe(1);
    expect(harness.granted).toEqual(['a']);
    await place(1).grant(new StoreGrant(2));
    expect(harness.granted).toEqual(['a', 'b']);
  });

  it('waits behind a process that has come after it only if it was not there before', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    await grant.answer(0);
    await grant.rivalJoins();
    await harness.ask('c');
    expect(harness.store.places).toHaveLength(1);
    await harness.release('a');
    expect(harness.store.places).toHaveLength(2);
    await harness.release('b');
    expect(harness.granted).toEqual(['a', 'b']);
    expect(grant.releases).toBe(1);
  });

  it('goes ahead of another process as often as handOver allows in a turn', async () => {
    harness = new LocalQueueHarness({ handOver: 2 });
    const grant = await holding('a');
    await harness.ask('b', 'c', 'd');
    await grant.answer(1);
    expect(harness.store.places).toHaveLength(1);
    await harness.release('a');
    await harness.release('b');
    expect(harness.granted).toEqual(['a', 'b', 'c']);
    expect(harness.store.places).toHaveLength(2);
    await harness.release('c');
    expect(grant.passedOn).toEqual([false]);
    await place(1).grant(new StoreGrant(2));
    expect(harness.granted).toEqual(['a', 'b', 'c', 'd']);
  });

  it('waits behind a process that comes before the answer', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    await grant.rivalJoins();
    await grant.answer(0);
    await harness.release('a');
    expect(harness.granted).toEqual(['a']);
    expect(grant.releases).toBe(1);
  });

  it('has its turn at a new place when there are no tokens left', async () => {
    await harness.ask('a', 'b');
    const grant = await place(0).grant(new StoreGrant(1, 1));
    expect(harness.store.places).toHaveLength(2);
    await harness.release('a');
    expect(grant.releases).toBe(1);
    await place(1).grant(new StoreGrant(2));
    expect(harness.granted).toEqual(['a', 'b']);
  });
});

describe('the lock does not pass on in memory', () => {
  it('after its ttl or a loss', async () => {
    const grant = await holding('a', 'b');
    await harness.release('a', false);
    expect(harness.granted).toEqual(['a']);
    expect(grant.releases).toBe(1);
    expect(harness.store.places).toHaveLength(2);
  });

  it('after the loss of its node', async () => {
    const grant = await holding('a', 'b');
    grant.lose('session');
    expect(log('a').at(-1)).toBe('lost: session');
    await harness.release('a');
    expect(harness.granted).toEqual(['a']);
    await place(1).queue(1);
    expect(log('b').slice(1)).toEqual(['queued 1', 'requeued 1']);
    await place(1).grant(new StoreGrant(2));
    expect(harness.granted).toEqual(['a', 'b']);
  });

  it.each([
    ['a ttl', async () => harness.release('a', false)],
    ['a loss', async (grant: StoreGrant) => grant.lose('deleted')],
  ])('after %s, and a full queue refuses nobody that waits already', async (_end, ends) => {
    const grant = await holding('a');
    await harness.askFor('b', { maxWaiters: 2 });
    await harness.askFor('c', { maxWaiters: 2 });
    await grant.answer(0);
    expect([log('b').at(-1), log('c').at(-1)]).toEqual(['queued 1', 'queued 2']);
    await ends(grant);
    expect(place(1).request.maxWaiters).toBe(Infinity);
    await place(1).queue(5);
    expect([log('b').at(-1), log('c').at(-1)]).toEqual(['requeued 5', 'requeued 6']);
  });

  it('after a loss, and a full queue refuses those who do not wait yet', async () => {
    const grant = await holding('a');
    await harness.askFor('b', { maxWaiters: 2 });
    grant.lose('deleted');
    expect(place(1).request.maxWaiters).toBe(2);
    await place(1).busy(5);
    expect(log('b').at(-1)).toBe('busy 5');
  });

  it('after a loss, and a grant without waiting does not count as a second one', async () => {
    const grant = await holding('a', 'b');
    grant.lose('session');
    const next = await place(1).grant(new StoreGrant(2));
    await harness.ask('c');
    await next.answer(1);
    await place(2).queue(1);
    expect(log('c').filter((line) => line.startsWith('requeued'))).toEqual([]);
  });

  it('after the deadline of its session', async () => {
    const grant = await holding('a', 'b');
    grant.deadline = harness.clock.elapsed();
    await harness.release('a');
    expect(harness.granted).toEqual(['a']);
    expect(grant.releases).toBe(1);
  });

  it('when it was lost between two callers', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    await harness.release('a');
    grant.lose('session');
    // The session may come back, and with it the node.
    expect(grant.releases).toBe(1);
    await grant.answer(0);
    expect(harness.granted).toEqual(['a']);
    expect(harness.store.places).toHaveLength(2);
  });
});

describe('the queue of the store', () => {
  it('refuses only the caller whose maxWaiters it exceeds', async () => {
    await harness.askFor('a', { maxWaiters: 2 });
    await harness.ask('b');
    await place(0).busy(2);
    expect(log('a')).toEqual(['busy 2']);
    await place(1).grant(new StoreGrant(1));
    expect(harness.granted).toEqual(['b']);
  });

  it('refuses all callers whose maxWaiters it exceeds with one answer', async () => {
    await harness.askFor('a', { maxWaiters: 2 });
    await harness.askFor('b', { maxWaiters: 0 });
    await harness.askFor('c', { maxWaiters: 3 });
    await harness.askFor('d', { maxWaiters: 2 });
    await place(0).busy(2);
    expect(['a', 'b', 'd'].map((name) => log(name).at(-1))).toEqual(['busy 2', 'busy 2', 'busy 2']);
    await place(1).grant(new StoreGrant(1));
    expect(harness.granted).toEqual(['c']);
    expect(harness.store.places).toHaveLength(2);
  });

  it('is asked for others before a caller with maxWaiters waits', async () => {
    const grant = await holding('a');
    await harness.askFor('b', { maxWaiters: 2 });
    await harness.askFor('c', { maxWaiters: 2 });
    await grant.answer(1);
    expect(log('b').slice(1)).toEqual(['queued 2']);
    expect(log('c').slice(1)).toEqual(['busy 2']);
  });

  it.each([
    [0, ['queued 1']],
    [5, ['busy 5']],
  ])(
    'is asked again before a caller with maxWaiters waits, if it has changed: now there are %i others',
    async (others, told) => {
      const grant = await holding('a');
      await harness.ask('b');
      await grant.answer(3);
      harness.caller('b').abort.abort('enough');
      await grant.rivalJoins();
      await harness.askFor('c', { maxWaiters: 2 });
      expect([grant.asked, log('c').slice(1)]).toEqual([2, []]);
      await grant.answer(others);
      expect(log('c').slice(1)).toEqual(told);
    },
  );

  it('is asked for no place until a caller with maxWaiters knows its own, because it could refuse that caller', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    await grant.answer(3);
    harness.caller('b').abort.abort('enough');
    await grant.rivalJoins();
    const before = harness.store.places.length;
    await harness.askFor('c', { maxWaiters: 2 });
    expect(harness.store.places).toHaveLength(before);
    await grant.answer(1);
    expect(log('c').slice(1)).toEqual(['queued 2']);
    expect(place(before).request.maxWaiters).toBe(Infinity);
  });

  it('is not asked again for a caller with maxWaiters if nobody has joined or left', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    await grant.answer(3);
    harness.caller('b').abort.abort('enough');
    await harness.askFor('c', { maxWaiters: 2 });
    expect([grant.asked, log('c').slice(1)]).toEqual([1, ['busy 3']]);
  });

  it('tells a caller with maxWaiters how many were there when it was asked, however often that changes', async () => {
    const grant = await holding('a');
    await harness.askFor('b', { maxWaiters: 2 });
    await grant.rivalJoins();
    await grant.answer(1);
    expect([grant.asked, log('b').slice(1)]).toEqual([1, ['queued 2']]);
  });

  it('says who is ahead of a caller with maxWaiters once its process has a place', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    await grant.answer(3);
    await place(1).queue(2);
    await grant.rivalJoins();
    await harness.askFor('c', { maxWaiters: 2 });
    await harness.askFor('d', { maxWaiters: 3 });
    expect([grant.asked, log('c').slice(1), log('d').at(-1)]).toEqual([1, ['busy 2'], 'queued 3']);
  });

  it.each([
    ['immediate', { immediate: true }],
    ['maxWaiters', { maxWaiters: 0 }],
  ])('is left when its answer refuses the last who waits, with %s', async (_option, options) => {
    await harness.ask('a');
    await harness.askFor('b', options);
    harness.caller('a').abort.abort('enough');
    await place(0).queue(1);
    expect(log('b').at(-1)).toMatch(/^busy/);
    expect(place(0).hasLeft).toBe(true);
  });

  it('is left when the place that follows a refused one is only for a caller that does not wait', async () => {
    await harness.askFor('a', { maxWaiters: 0 });
    await harness.askFor('b', { immediate: true });
    await place(0).busy(1);
    await place(1).queue(1);
    expect([log('a').at(-1), log('b').at(-1)]).toEqual(['busy 1', 'busy ']);
    expect(place(1).hasLeft).toBe(true);
    await harness.ask('c');
    expect(harness.store.places).toHaveLength(3);
  });

  it('is left when a grant that no other caller can have refuses the last who waits', async () => {
    await harness.ask('a');
    await harness.askFor('b', { immediate: true });
    await place(0).grant(new StoreGrant(1, 1));
    expect(log('b').at(-1)).toBe('busy ');
    expect(place(1).hasLeft).toBe(true);
  });

  it('fails all who depend on it', async () => {
    await harness.ask('a', 'b');
    await place(0).fail('no connection');
    expect(log('a')).toEqual(['failed: no connection']);
    expect(log('b').at(-1)).toBe('failed: no connection');
    await harness.ask('c');
    expect(harness.store.places).toHaveLength(2);
  });

  it('gets a grant back that nobody waits for any more', async () => {
    await harness.ask('a');
    const grant = new StoreGrant(1);
    const granted = place(0).grant(grant);
    harness.caller('a').abort.abort('enough');
    await granted;
    expect(harness.granted).toEqual([]);
    expect(grant.releases).toBe(1);
  });
});

describe('a caller that does not wait', () => {
  it('finds the lock busy without a request while its process holds it', async () => {
    await holding('a');
    await harness.askFor('b', { immediate: true, describeHolder: true });
    expect(log('b').at(-1)).toBe('busy a');
    expect(harness.store.places).toHaveLength(1);
  });

  it('does not overtake those who wait for a place', async () => {
    await harness.ask('a');
    await harness.askFor('b', { immediate: true });
    expect(harness.store.places).toHaveLength(1);
    await place(0).queue(1);
    expect(log('b').at(-1)).toBe('busy ');
  });

  it('passes the lock on to those who have come since its grant', async () => {
    await harness.askFor('a', { immediate: true });
    const grant = await place(0).grant(new StoreGrant(1));
    await harness.ask('b');
    await grant.answer(0);
    await harness.release('a');
    expect(harness.granted).toEqual(['a', 'b']);
  });

  it('keeps its own place if others have begun to wait', async () => {
    await harness.askFor('a', { immediate: true });
    await harness.ask('b');
    const grant = await place(0).grant(new StoreGrant(1));
    await harness.release('a');
    expect(grant.releases).toBe(1);
    await place(1).grant(new StoreGrant(2));
    expect(harness.granted).toEqual(['a', 'b']);
  });
});

it('describes each caller of the process', async () => {
  const grant = await holding('a', 'b', 'c');
  await harness.release('a');
  const mode = 'exclusive';
  const stored = { owner: ownerNamed('a'), fencingToken: grant.fencingToken, mode } as const;
  const elsewhere = { owner: ownerNamed('elsewhere'), fencingToken: 9_999n, mode } as const;
  harness.store.snapshot = { resource: 'order', holder: stored, holders: [stored], waiters: [elsewhere] };
  const holder = { owner: ownerNamed('b'), fencingToken: grant.fencingToken + 1n, mode };
  expect(await harness.queues.inspect('order')).toEqual({
    resource: 'order',
    holder,
    holders: [holder],
    waiters: [{ owner: ownerNamed('c'), fencingToken: undefined, mode }, elsewhere],
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { settled } from './fake-clock.js';
import { LocalQueueHarness } from './local-queue-harness.js';
import { StoreGrant } from './scripted-store.js';

const LINGER_MS = 500;

let harness: LocalQueueHarness;
let grant: StoreGrant;

/** 'a' has had the lock, and nobody in the process wants it. */
beforeEach(async () => {
  harness = new LocalQueueHarness({ linger: LINGER_MS });
  await harness.ask('a');
  grant = await harness.store.places[0]!.grant(new StoreGrant(1));
  await harness.release('a');
});

const log = (name: string): readonly string[] => harness.caller(name).log;

describe('a lock that lingers', () => {
  it('is had by the next caller without a request, with a larger token', async () => {
    await grant.answer(0);
    await harness.ask('b');
    expect(log('b')).toEqual(['granted']);
    expect(harness.caller('b').grant!.fencingToken).toBe(grant.fencingToken + 1n);
    expect(harness.store.places).toHaveLength(1);
  });

  it('is had by tryLock, and is busy for the next one', async () => {
    await grant.answer(0);
    await harness.askFor('b', { immediate: true });
    await harness.askFor('c', { immediate: true, describeHolder: true });
    expect(log('b')).toEqual(['granted']);
    expect(log('c').at(-1)).toBe('busy b');
  });

  it('is not busy for tryLock while the store does not tell whether others are queued', async () => {
    await harness.askFor('b', { immediate: true });
    await grant.answer('some');
    expect(log('b')).not.toContain('busy');
    expect(grant.releases).toBe(1);
    await harness.store.places[1]!.grant(new StoreGrant(2));
    expect(log('b').at(-1)).toBe('granted');
  });

  it('is given up when its time is over', async () => {
    await grant.answer(0);
    harness.clock.advance(LINGER_MS - 1);
    expect(grant.releases).toBe(0);
    harness.clock.advance(1);
    expect(grant.releases).toBe(1);
    await harness.ask('b');
    expect(harness.store.places).toHaveLength(2);
  });

  it('is given up when the service stops, and none lingers from then on', async () => {
    await grant.answer(0);
    await harness.askFor('b', { resource: 'other' });
    const other = await harness.store.places[1]!.grant(new StoreGrant(2));
    harness.queues.stop();
    expect([grant.releases, other.releases]).toEqual([1, 0]);
    await harness.release('b');
    expect(other.releases).toBe(1);
    expect(harness.clock.timers).toBe(0);
  });

  it('has its whole time after each release', async () => {
    await grant.answer(0);
    harness.clock.advance(LINGER_MS - 1);
    await harness.ask('b');
    harness.clock.advance(LINGER_MS);
    await harness.release('b');
    harness.clock.advance(LINGER_MS - 1);
    expect(grant.releases).toBe(0);
    harness.clock.advance(1);
    expect(grant.releases).toBe(1);
    expect(grant.asked).toBe(1);
  });

  it('is given up at once when another process queues', async () => {
    await grant.answer(0);
    await grant.rivalJoins();
    expect(grant.releases).toBe(1);
    expect(harness.clock.timers).toBe(0);
  });

  it('is given up at once when another process turns out to be queued', async () => {
    await grant.answer(1);
    expect(grant.releases).toBe(1);
  });

  it('is not had before it is known that no other process is queued', async () => {
    await harness.ask('b');
    await harness.askFor('c', { immediate: true });
    expect(harness.granted).toEqual(['a']);
    await grant.answer(0);
    expect(log('b')).toEqual(['granted']);
    expect(log('c').at(-1)).toBe('busy ');
  });

  it('goes to another process that turns out to be queued, before those who have asked meanwhile', async () => {
    await harness.ask('b');
    await harness.askFor('c', { immediate: true });
    await grant.answer(1);
    expect(grant.releases).toBe(1);
    expect(harness.store.places).toHaveLength(2);
    await harness.store.places[1]!.queue(1);
    expect(log('b')).toEqual(['queued 1']);
    expect(log('c').at(-1)).toBe('busy ');
  });

  it('goes to a process that queues while it is held, when that hold ends', async () => {
    await grant.answer(0);
    await harness.ask('b');
    await grant.rivalJoins();
    expect(grant.releases).toBe(0);
    await harness.release('b');
    expect(grant.releases).toBe(1);
  });

  it('is given up when somebody asks its holder to release it', async () => {
    await grant.answer(0);
    grant.requestRevocation();
    expect(grant.releases).toBe(1);
  });

  it('is not had after it was lost', async () => {
    await grant.answer(0);
    grant.lose('session');
    await harness.ask('b');
    expect(log('b')).toEqual([]);
    expect(harness.store.places).toHaveLength(2);
    expect(harness.clock.timers).toBe(0);
  });

  it('is not had after the deadline of its session', async () => {
    await grant.answer(0);
    grant.deadline = harness.clock.elapsed();
    await harness.ask('b');
    expect(log('b')).toEqual([]);
    expect(grant.releases).toBe(1);
    expect(harness.store.places).toHaveLength(2);
  });
});

describe('a lock that lingers, for callers of its process who want it in another way', () => {
  const WAYS = [
    { mode: 'read' },
    { mode: 'write' },
    { mode: 'semaphore', permits: 2 },
    { failure: 'closed' },
  ] as const;
  const owners = () => harness.store.places.slice(1).map(({ request }) => request.owner.owner);

  beforeEach(async () => {
    harness = new LocalQueueHarness({ linger: LINGER_MS });
    await harness.ask('a');
    grant = await harness.store.places[0]!.grant(new StoreGrant(1, 9, 0, true));
    await harness.release('a');
  });

  it.each(WAYS.flatMap((way) => [{ ...way, immediate: true }, { ...way, maxWaiters: 0 }, way]))(
    'is given up before the store is asked: %o',
    async (options) => {
      const { log: told } = await harness.askFor('b', options);
      expect(grant.releases).toBe(1);
      expect(owners()).toEqual([]);
      grant.confirm();
      await settled();
      expect(owners()).toEqual(['b']);
      await harness.store.places[1]!.grant(new StoreGrant(2));
      expect(told).toEqual(['granted']);
      expect(harness.clock.timers).toBe(0);
    },
  );

  it('keeps them in the order in which they ask', async () => {
    await harness.askFor('b', { mode: 'write' });
    await harness.ask('c');
    await harness.askFor('d', { mode: 'semaphore', permits: 2 });
    await harness.askFor('e', { failure: 'closed' });
    expect(owners()).toEqual([]);
    grant.confirm();
    await settled();
    expect(owners()).toEqual(['b', 'c', 'd', 'e']);
  });

  it('does not keep them from asking when contact is lost', async () => {
    await harness.askFor('b', { mode: 'read' });
    grant.loseContact();
    await settled();
    expect(owners()).toEqual(['b']);
  });

  it.each([{ mode: 'read' }, { mode: 'semaphore' }] as const)(
    'asks nobody for one that has given up meanwhile: %o',
    async (options) => {
      const { abort, log: told } = await harness.askFor('b', options);
      abort.abort('changed my mind');
      grant.confirm();
      await settled();
      expect(told).toEqual(['failed: changed my mind']);
      expect(owners()).toEqual([]);
    },
  );

  it('is not given up while somebody has it, or waits to have it', async () => {
    await harness.ask('b');
    await harness.askFor('c', { mode: 'read', immediate: true });
    await grant.answer(0);
    expect(log('b')).toEqual(['granted']);
    await harness.askFor('d', { mode: 'write', immediate: true });
    expect(owners()).toEqual(['c', 'd']);
    expect(grant.releases).toBe(0);
  });
});

describe('a lock does not linger', () => {
  const ended = async (next: StoreGrant, passOn = true): Promise<StoreGrant> => {
    harness = new LocalQueueHarness({ linger: LINGER_MS });
    await harness.ask('a');
    await harness.store.places[0]!.grant(next);
    await harness.release('a', passOn);
    return next;
  };

  it('after its ttl', async () => {
    expect(await ended(new StoreGrant(1), false)).toMatchObject({ releases: 1, asked: 0 });
  });

  it('when others were queued behind it from the start', async () => {
    expect(await ended(new StoreGrant(1, 9, 2))).toMatchObject({ releases: 1, asked: 0 });
  });

  it('when it has no tokens left', async () => {
    expect(await ended(new StoreGrant(1, 1))).toMatchObject({ releases: 1, asked: 0 });
  });
});

import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { QueuedPlace } from '../../lib/locking/lock-provider.interface.js';
import { LocalQueueHarness, ownerNamed } from './local-queue-harness.js';
import { StoreGrant, type StorePlace } from './scripted-store.js';

let harness: LocalQueueHarness;

beforeEach(() => {
  harness = new LocalQueueHarness({ mode: 'read' });
});

/** Readers ask, and the store grants their place. */
async function holding(...names: string[]): Promise<StoreGrant> {
  await harness.ask(...names);
  return place(0).grant(new StoreGrant(1));
}

/** The same, and it is known that no writer waits. */
async function holdingAlone(...names: string[]): Promise<StoreGrant> {
  const grant = await holding(...names);
  await harness.ask('one more');
  await grant.answer(0);
  await harness.release('one more');
  return grant;
}

function place(index: number): StorePlace {
  return harness.store.places[index]!;
}

const log = (name: string): readonly string[] => harness.caller(name).log;

describe('readers of one process', () => {
  it('wait together at one place, and hold the lock together', async () => {
    await holding('a', 'b', 'c');
    expect(harness.granted).toEqual(['a', 'b', 'c']);
    expect(harness.store.places).toHaveLength(1);
    const tokens = ['a', 'b', 'c'].map((name) => harness.caller(name).grant!.fencingToken);
    expect(tokens.map((token) => token - tokens[0]!)).toEqual([0n, 1n, 2n]);
  });

  it('give the lock up when the last of them has ended', async () => {
    const grant = await holding('a', 'b', 'c');
    await harness.release('b');
    await harness.release('a');
    expect(grant.releases).toBe(0);
    await harness.release('c');
    expect(grant.releases).toBe(1);
  });

  it('that ask about their lock while others are told of its loss know why it is lost, and are told once', async () => {
    const grant = await holding('a', 'b');
    const [a, b] = ['a', 'b'].map((name) => harness.caller(name).grant!);
    const told: string[] = [];
    const asks = (): void => {
      b!.settle!();
      told.push('asked');
    };
    a!.listen({ lost: asks, revokeRequested: () => {} });
    b!.listen({ lost: (reason) => told.push(reason), revokeRequested: () => {} });
    grant.lose('deleted');
    expect(told).toEqual(['deleted', 'asked']);
  });

  it('do not wait for each other', async () => {
    await harness.ask('a', 'b');
    await place(0).queue(1);
    place(0).request.onPredecessor({ owner: 'a writer' });
    await harness.ask('c');
    expect(log('a')).toEqual(['queued 1', 'behind a writer']);
    expect(log('b')).toEqual(['queued 2', 'behind a writer']);
    expect(log('c')).toEqual(['behind a writer', 'queued 3']);
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
    await harness.ask(...names);
    let grantedInOneTurn = 0;
    setImmediate(() => (grantedInOneTurn = harness.granted.length));
    await place(0).grant(new StoreGrant(1));
    await vi.waitFor(() => expect(harness.granted).toEqual(names));
    expect(grantedInOneTurn).toBeLessThan(20);
  });

  it('keep the lock when the ttl of one of them expires, and give it up if that was the last', async () => {
    const grant = await holding('a', 'b');
    await harness.release('a', false);
    expect(grant.releases).toBe(0);
    await harness.release('b', false);
    expect(grant.releases).toBe(1);
  });

  it('lose the lock together, and later ones have a new place', async () => {
    const grant = await holdingAlone('a', 'b');
    grant.lose('session');
    expect(log('a').at(-1)).toBe('lost: session');
    expect(log('b').at(-1)).toBe('lost: session');
    await harness.ask('c');
    expect(harness.store.places).toHaveLength(2);
    await harness.release('a', false);
    await harness.release('b', false);
    expect(grant.releases).toBe(1);
  });

  it('are asked for the lock together', async () => {
    const grant = await holding('a', 'b');
    grant.requestRevocation();
    expect(log('a').at(-1)).toBe('revoke');
    expect(log('b').at(-1)).toBe('revoke');
  });
});

describe('a reader that asks while others of its process hold the lock', () => {
  it('joins them when it is known that no writer waits, and the next ones at once', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    expect(harness.granted).toEqual(['a']);
    await grant.answer(0);
    await harness.ask('c', 'd');
    expect(harness.granted).toEqual(['a', 'b', 'c', 'd']);
    expect(grant.asked).toBe(1);
    expect(harness.store.places).toHaveLength(1);
  });

  it('waits behind a writer, with all who come later', async () => {
    const grant = await holding('a');
    await harness.ask('b', 'c');
    await grant.answer(1);
    expect(harness.store.places).toHaveLength(2);
    await harness.release('a');
    expect(grant.releases).toBe(1);
    expect(harness.granted).toEqual(['a']);
    await place(1).grant(new StoreGrant(2));
    expect(harness.granted).toEqual(['a', 'b', 'c']);
  });

  it('does not wait in contact when the store does not answer', async () => {
    const grant = await holding('a');
    const told: boolean[] = [];
    const onQueued = (place: QueuedPlace): void => {
      for (const isInContact of [true, false]) {
        harness.store.isInContact = isInContact;
        told.push(place.inContact());
      }
    };
    await harness.askFor('b', { onQueued });
    await grant.answer(1);
    expect(told).toEqual([true, false]);
  });

  it('waits until it is known who has joined the queue meanwhile', async () => {
    const grant = await holdingAlone('a');
    await grant.rivalJoins();
    await harness.ask('b');
    expect(log('b')).toEqual([]);
    await grant.answer(0);
    expect(log('b')).toEqual(['granted']);
    await grant.rivalJoins();
    await harness.ask('c');
    await grant.answer(1);
    expect(log('c')).toEqual(['queued 2']);
    expect(harness.store.places).toHaveLength(2);
  });

  it('joins if it has asked before whoever has joined the queue since the answer', async () => {
    const grant = await holding('a');
    await harness.ask('b');
    await grant.rivalJoins();
    await harness.ask('c');
    await grant.answer(0);
    expect(harness.granted).toEqual(['a', 'b']);
    expect(grant.asked).toBe(2);
    await grant.answer(1);
    expect(harness.granted).toEqual(['a', 'b']);
    expect(harness.store.places).toHaveLength(2);
  });

  it('goes ahead of a writer as often as handOver allows in a turn', async () => {
    harness = new LocalQueueHarness({ mode: 'read', handOver: 1 });
    const grant = await holding('a');
    await harness.ask('b', 'c');
    await grant.answer(1);
    expect(harness.granted).toEqual(['a', 'b']);
    expect(harness.store.places).toHaveLength(2);
  });

  it('has a new place when there are no tokens left, and both are held', async () => {
    await harness.ask('a', 'b');
    const first = await place(0).grant(new StoreGrant(1, 1));
    const second = await place(1).grant(new StoreGrant(2));
    expect(harness.granted).toEqual(['a', 'b']);
    await harness.release('b');
    expect([first.releases, second.releases]).toEqual([0, 1]);
    await harness.release('a');
    expect([first.releases, second.releases]).toEqual([1, 1]);
  });

  it('has a new place after the deadline of the session', async () => {
    const grant = await holdingAlone('a');
    grant.deadline = harness.clock.elapsed();
    await harness.ask('b');
    expect(log('b')).toEqual([]);
    expect(harness.store.places).toHaveLength(2);
  });

  it('is told its place only when the store knows it', async () => {
    const grant = await holding('a');
    await harness.askFor('b', { maxWaiters: 2 });
    await grant.answer(1);
    expect(log('b')).toEqual([]);
    await place(1).queue(2);
    expect(log('b')).toEqual(['queued 2']);
  });
});

describe('a reader that does not wait', () => {
  it('joins others of its process without a request', async () => {
    await holdingAlone('a');
    await harness.askFor('b', { immediate: true });
    expect(log('b')).toEqual(['granted']);
    expect(harness.store.places).toHaveLength(1);
  });

  it('asks the store when a writer may keep it from the lock', async () => {
    const grant = await holding('a');
    const asked = harness.askFor('b', { immediate: true });
    await grant.answer(1);
    await asked;
    expect(place(1).request.immediate).toBe(true);
    await place(1).grant(new StoreGrant(2));
    expect(log('b')).toEqual(['granted']);
    await harness.release('a');
    expect(grant.releases).toBe(1);
  });

  it('shares the lock with those who come later', async () => {
    await harness.askFor('a', { immediate: true });
    const grant = await place(0).grant(new StoreGrant(1));
    await harness.ask('b');
    await grant.answer(0);
    expect(harness.granted).toEqual(['a', 'b']);
  });
});

it('a lock of readers that lingers stays while other readers come, and is given up for a writer', async () => {
  harness = new LocalQueueHarness({ mode: 'read', linger: 100 });
  const grant = await holding('a');
  await harness.release('a');
  await grant.answer(0);
  await grant.rivalJoins();
  expect(grant.asked).toBe(2);
  await grant.answer(0);
  expect(grant.releases).toBe(0);
  await grant.rivalJoins();
  await grant.answer(1);
  expect(grant.releases).toBe(1);
});

describe('readers who have joined in turns with nodes of their own', () => {
  const mode = 'read';
  let first: StoreGrant;
  let second: StoreGrant;

  /** 'a' and 'b' hold the lock with the first node, and 'c', before whom a writer came and went, with the second one. */
  beforeEach(async () => {
    first = await holding('a', 'b');
    await harness.ask('c');
    await first.answer(1);
    second = await place(1).grant(new StoreGrant(2));
    const holders = [first, second].map(
      ({ fencingToken }) => ({ owner: ownerNamed('a'), fencingToken, mode }) as const,
    );
    harness.store.snapshot = { resource: 'order', holder: holders[0]!, holders, waiters: [] };
  });

  const described = async () =>
    (await harness.queues.inspect('order')).holders.map(({ owner, fencingToken }) => [
      owner?.owner,
      fencingToken,
    ]);

  it('are all described, each with its own token', async () => {
    expect(await described()).toEqual([
      ['a', first.fencingToken],
      ['b', first.fencingToken + 1n],
      ['c', second.fencingToken],
    ]);
    await harness.release('a');
    expect((await described()).map(([name]) => name)).toEqual(['b', 'c']);
  });

  it('are described after the last turn, too', async () => {
    await harness.release('c');
    expect(second.releases).toBe(1);
    await harness.release('a');
    expect((await described())[0]).toEqual(['b', first.fencingToken + 1n]);
  });

  it('are no reason to wait for those who ask with tryLock then', async () => {
    await harness.release('c');
    await harness.askFor('d', { immediate: true });
    expect(place(2).request.immediate).toBe(true);
    const third = await place(2).grant(new StoreGrant(3));
    await harness.ask('e');
    await third.answer(0);
    expect(harness.granted).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(harness.store.places).toHaveLength(3);
  });

  it('give up each node with the last of its turn', async () => {
    await harness.release('c');
    await harness.release('a');
    expect([first.releases, second.releases]).toEqual([0, 1]);
    await harness.release('b');
    expect([first.releases, second.releases]).toEqual([1, 1]);
  });
});

it('describes each reader of the process', async () => {
  const grant = await holding('a', 'b', 'c');
  await harness.release('a');
  const mode = 'read';
  const stored = { owner: ownerNamed('a'), fencingToken: grant.fencingToken, mode } as const;
  const elsewhere = { owner: ownerNamed('elsewhere'), fencingToken: 9n, mode } as const;
  const holders = [elsewhere, stored];
  harness.store.snapshot = { resource: 'order', holder: elsewhere, holders, waiters: [] };
  expect((await harness.queues.inspect('order')).holders).toEqual([
    elsewhere,
    { owner: ownerNamed('b'), fencingToken: grant.fencingToken + 1n, mode },
    { owner: ownerNamed('c'), fencingToken: grant.fencingToken + 2n, mode },
  ]);
});

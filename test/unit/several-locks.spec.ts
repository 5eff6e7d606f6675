import { describe, expect, test, vi } from 'vitest';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import { currentLock } from '../../lib/locking/current-lock.js';
import type { LockEvent } from '../../lib/locking/lock-event.interface.js';
import { runHeld } from '../../lib/locking/run-held.js';
import { settled } from './fake-clock.js';
import { granted, lockManager, rejectionOf, type ManagerUnderTest } from './manager-harness.js';
import { TestGrant } from './test-grant.js';

/** The attempts that the store knows of and that have not been given up. */
function asked({ provider }: ManagerUnderTest): string[] {
  return provider.attempts
    .filter(({ request }) => !request.abort.aborted)
    .map(({ request }) => request.resource);
}

function steps(events: readonly LockEvent[]): string[] {
  return events.map((event) => ('resource' in event ? `${event.type} ${event.resource}` : event.type));
}

/** Locks `a` and `b` that are held. */
async function bothHeld(manager: ManagerUnderTest, options = {}) {
  const grants = [new TestGrant(1n), new TestGrant(2n)] as const;
  const holding = manager.locks.lock(['b', 'a'], options);
  await settled();
  for (const [index, grant] of grants.entries()) manager.provider.attempts[index]!.grant(grant);
  return { held: await holding, grants };
}

describe('the order', () => {
  test('all are asked for at once, in the order of their names, each once', async () => {
    const manager = lockManager();
    void manager.locks.lock(['b', 'ä', 'B', 'a', 'b']).catch(() => {});
    await settled();
    expect(asked(manager)).toEqual(['B', 'a', 'b', 'ä']);
  });

  test('those after one that has to be waited for are given up, and asked for again after it', async () => {
    const manager = lockManager();
    const { provider, events } = manager;
    const holding = manager.locks.lock(['a', 'b', 'c']);
    await settled();
    const [a, b, c] = provider.attempts;
    const early = new TestGrant(9n);
    c!.grant(early);
    b!.queue();
    await settled();
    expect(early.releases).toBe(0);
    a!.grant();
    await settled();
    expect(early.releases).toBe(1);
    expect(provider.attempts).toHaveLength(3);
    expect(steps(events)).toEqual(['acquired a', 'waiting b']);

    b!.grant();
    await settled();
    expect(provider.attempts).toHaveLength(4);
    expect(provider.last.request.resource).toBe('c');
    provider.last.grant();
    expect((await holding).isHeld()).toBe(true);
    expect(steps(events)).toEqual(['acquired a', 'waiting b', 'acquired b', 'acquired c']);
  });

  test('those after one in an ensemble without contact are asked for when it is granted', async () => {
    const manager = lockManager();
    const { provider } = manager;
    provider.cutOff.add('b');
    const holding = manager.locks.lock(['a', 'b', 'c']);
    await settled();
    expect(asked(manager)).toEqual(['a', 'b']);
    provider.cutOff.clear();
    for (const index of [0, 1]) provider.attempts[index]!.grant();
    await settled();
    expect(asked(manager)).toEqual(['a', 'b', 'c']);
    provider.last.grant();
    expect((await holding).isHeld()).toBe(true);
  });

  test('those after one that had to be waited for the last time are asked for when it is granted', async () => {
    const manager = lockManager();
    const { provider } = manager;
    const since = (index: number) => provider.attempts.slice(index).map(({ request }) => request.resource);
    const first = manager.locks.lock(['a', 'b', 'c']);
    await settled();
    provider.attempts[0]!.grant();
    provider.attempts[1]!.queue();
    await settled();
    provider.attempts[1]!.grant();
    await settled();
    provider.last.grant();
    await (await first).release();

    const second = manager.locks.lock(['a', 'b', 'c']);
    await settled();
    expect(since(4)).toEqual(['a', 'b']);
    for (const attempt of provider.attempts.slice(4)) attempt.grant();
    await settled();
    expect(since(4)).toEqual(['a', 'b', 'c']);
    provider.last.grant();
    await (await second).release();

    // Nobody had to wait for 'b' this time.
    void manager.locks.lock(['a', 'b', 'c']).catch(() => {});
    await settled();
    expect(since(7)).toEqual(['a', 'b', 'c']);
  });

  test('a later one that waits as well is not waited for until those before it are granted', async () => {
    const manager = lockManager();
    void manager.locks.lock(['a', 'b']).catch(() => {});
    await settled();
    const [a, b] = manager.provider.attempts;
    b!.queue();
    a!.queue();
    await settled();
    expect([a, b].map((attempt) => attempt!.request.abort.aborted)).toEqual([false, true]);
    expect(steps(manager.events)).toEqual(['waiting a']);
  });
});

test('another mode of one that the caller holds is refused at once, before any is asked for', async () => {
  const manager = lockManager();
  const { locks, provider, events } = manager;
  const held = await granted(manager, { mode: 'read' });
  const failing = rejectionOf(runHeld(held, () => locks.lock(['A', held.resource], { mode: 'write' })));
  await settled();
  expect(provider.attempts).toHaveLength(1);
  expect(await failing).toMatchObject({ code: 'LOCK_DEADLOCK', resource: 'a' });
  expect(steps(events)).toEqual(['acquired a', 'failed a', 'released a']);
});

describe('the limits', () => {
  test('one wait is for all of them', async () => {
    const manager = lockManager();
    const failing = rejectionOf(manager.locks.lock(['a', 'b'], { wait: 1_000 }));
    await settled();
    manager.provider.attempts[0]!.queue();
    await manager.clock.run(700);
    manager.provider.attempts[0]!.grant();
    await settled();
    manager.provider.last.queue();
    await manager.clock.run(299);
    expect(manager.log).not.toContain('timedOut');
    await manager.clock.run(1);
    expect(await failing).toMatchObject({ code: 'LOCK_TIMEOUT', resource: 'b' });
    expect(steps(manager.events)).toEqual([
      'waiting a',
      'acquired a',
      'waiting b',
      'timedOut b',
      'released a',
    ]);
  });

  test.each([
    [[], 'LOCK_TIMEOUT'],
    [['a'], 'LOCK_TIMEOUT'],
    [['b'], 'LOCK_UNAVAILABLE'],
  ])(
    'after the wait for one, an end before the answer for the next depends on its contact: without %j it is %s',
    async (outOfReach, code) => {
      const manager = lockManager();
      const { provider, clock } = manager;
      const failing = rejectionOf(manager.locks.lock(['a', 'b'], { wait: 1_000 }));
      await settled();
      provider.last.queue();
      await settled();
      provider.attempts[0]!.queue();
      await clock.run(999);
      provider.attempts[0]!.grant();
      await settled();
      expect(asked(manager)).toEqual(['a', 'b']);
      for (const resource of outOfReach) provider.cutOff.add(resource);
      await clock.run(1);
      expect(await failing).toMatchObject({ code, resource: 'b' });
      const end = code === 'LOCK_TIMEOUT' ? 'timedOut b' : 'failed b';
      expect(steps(manager.events)).toEqual(['waiting a', 'acquired a', end, 'released a']);
    },
  );

  test('a wait that ends before an answer, when no lock was busy, is no timeout', async () => {
    const manager = lockManager();
    const failing = rejectionOf(manager.locks.lock(['a', 'b'], { wait: 1_000 }));
    await settled();
    manager.provider.attempts[0]!.grant();
    await manager.clock.run(1_000);
    expect(await failing).toMatchObject({ code: 'LOCK_UNAVAILABLE', resource: 'b' });
  });

  test('without a wait, one connectTimeout is for all attempts', async () => {
    const manager = lockManager({ connectTimeout: 1_000 });
    const failing = rejectionOf(manager.locks.lock(['a', 'b'], { wait: 0 }));
    await settled();
    const grant = manager.provider.attempts[0]!.grant();
    await manager.clock.run(700);
    grant.lose('session');
    await settled();
    expect(manager.provider.attempts).toHaveLength(4);
    await manager.clock.run(299);
    expect(manager.log).not.toContain('failed');
    await manager.clock.run(1);
    expect(await failing).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });

  test('ttl and minHold begin when all are granted', async () => {
    const manager = lockManager();
    const grants = [new TestGrant(1n), new TestGrant(2n)] as const;
    const holding = manager.locks.lock(['a', 'b'], { ttl: 500, minHold: 200 });
    await settled();
    const [a, b] = manager.provider.attempts;
    a!.grant(grants[0]);
    b!.queue();
    await manager.clock.run(10_000);
    b!.grant(grants[1]);
    const held = await holding;
    expect(manager.log).not.toContain('ttlExpired');
    await manager.clock.run(100);
    await held.release();
    expect(grants.map(({ releases }) => releases)).toEqual([0, 0]);
    await manager.clock.run(100);
    expect(grants.map(({ releases }) => releases)).toEqual([1, 1]);
  });

  test('a failed call frees at once, whatever the minHold', async () => {
    const manager = lockManager();
    const failing = rejectionOf(manager.locks.lock(['a', 'b'], { wait: 0, minHold: 60_000 }));
    await settled();
    const grant = manager.provider.attempts[0]!.grant();
    manager.provider.attempts[1]!.busy('other');
    expect(await failing).toMatchObject({ code: 'LOCK_BUSY', resource: 'b' });
    expect(grant.releases).toBe(1);
    expect(steps(manager.events)).toEqual(['acquired a', 'busy b', 'released a']);
  });

  test('a new ttl is for all of them, or for none', async () => {
    const manager = lockManager();
    const { held } = await bothHeld(manager, { ttl: 1_000, minHold: 500 });
    expect(() => held.extend(400)).toThrow('for another 500 ms: got a ttl of 400 ms');
    await manager.clock.run(900);
    held.extend(5_000);
    expect(steps(manager.events).slice(-2)).toEqual(['extended a', 'extended b']);
    await manager.clock.run(4_999);
    expect(held.isHeld()).toBe(true);
    await manager.clock.run(1);
    expect(held.isHeld()).toBe(false);
    expect(steps(manager.events).slice(-2).toSorted()).toEqual(['ttlExpired a', 'ttlExpired b']);
  });

  test.each([
    ['granted', async (manager: ManagerUnderTest) => void (await bothHeld(manager, { ttl: 1_000 }))],
    [
      'extended',
      async (manager: ManagerUnderTest) => (await bothHeld(manager, { ttl: 100 })).held.extend(1_000),
    ],
  ])('the ttl of all of them ends at the same time, however long it takes to be %s', async (_how, begin) => {
    const manager = lockManager();
    const { clock, events } = manager;
    const read = clock.monotonic.bind(clock);
    let passed = 0;
    const slow = vi.spyOn(clock, 'monotonic').mockImplementation(() => read() + passed++);
    await begin(manager);
    // Given back, so that the timers are exact again.
    slow.mockImplementation(read);
    await clock.run(2_000);
    expect(steps(events).slice(-2).toSorted()).toEqual(['ttlExpired a', 'ttlExpired b']);
  });
});

describe('a loss', () => {
  test('of one loses and frees the others, before any event', async () => {
    const manager = lockManager();
    const { held, grants } = await bothHeld(manager);
    const seen: boolean[] = [];
    manager.locks.events.lost$.subscribe(() => seen.push(held.signal.aborted, held.isHeld()));
    grants[1].lose('deleted');
    expect(seen).toEqual([true, false, true, false]);
    expect(grants.map(({ releases }) => releases)).toEqual([1, 1]);
    expect(held.signal.reason).toBe(held.loss);
    expect(held.loss).toMatchObject({ resource: 'b', reason: 'deleted' });
    expect(held.members.map(({ signal }) => (signal.reason as LockLostError).reason)).toEqual([
      'together',
      'deleted',
    ]);
    expect(await held.release()).toBe(false);
  });

  test('of one loses the others, even if a listener releases all of them at once', async () => {
    const manager = lockManager();
    const { held, grants } = await bothHeld(manager);
    const { signal } = held.member('b');
    held.signal.addEventListener('abort', () => void held.release());
    grants[0].lose('deleted');
    expect(signal.reason).toMatchObject({ reason: 'together', resource: 'b' });
    await settled();
    expect(steps(manager.events).slice(2).toSorted()).toEqual(['lost a', 'lost b']);
  });

  test('during work rejects the work with it', async () => {
    const manager = lockManager();
    const grants = [new TestGrant(1n), new TestGrant(2n)] as const;
    const working = rejectionOf(
      manager.locks.withLock(['a', 'b'], undefined, () => new Promise<void>(() => {})),
    );
    await settled();
    for (const [index, grant] of grants.entries()) manager.provider.attempts[index]!.grant(grant);
    await settled();
    grants[0].lose('session');
    expect(await working).toMatchObject({ code: 'LOCK_LOST', reason: 'session', resource: 'a' });
  });

  test('at the end of the ttl, after the release of one of them, rejects at once', async () => {
    const manager = lockManager();
    const { clock } = manager;
    const { held, grants } = await bothHeld(manager, { ttl: 100 });
    const [a, b] = grants;
    const confirmed = new Promise<boolean>(() => {});
    vi.spyOn(b, 'release').mockImplementation(() => {
      clock.stall(100);
      return { sent: confirmed.then(() => {}), confirmed, freed: confirmed };
    });
    expect(await rejectionOf(runHeld(held, () => {}))).toMatchObject({ reason: 'ttl', resource: 'a' });
    expect(a.releases).toBeGreaterThan(0);
  });

  test('by a shutdown leaves all nodes until the work has settled', async () => {
    const manager = lockManager({ drainTimeout: 0 });
    const { held, grants } = await bothHeld(manager);
    const stopping = manager.locks.lifecycle.stop();
    await manager.clock.run(0);
    await stopping;
    expect(held.loss).toMatchObject({ reason: 'shutdown' });
    expect(grants.map(({ releases }) => releases)).toEqual([0, 0]);
    await held.release();
    expect(grants.map(({ releases }) => releases)).toEqual([1, 1]);
  });

  test('is none if its own code releases one of them', async () => {
    const manager = lockManager();
    const { held } = await bothHeld(manager);
    await held.member('a').release();
    expect(held.loss).toBeUndefined();
    expect(held.isHeld()).toBe(false);
    expect(held.member('b').isHeld()).toBe(true);
    expect(() => held.assertHeld()).toThrow("Lock 'a' is not held (released)");
    expect(await held.release()).toBe(true);
  });

  test('is none if the node of one goes that its own code has released within its minHold', async () => {
    const manager = lockManager();
    const { held, grants } = await bothHeld(manager, { minHold: 5_000 });
    expect(await held.member('a').release()).toBe(true);
    grants[0].lose('deleted');
    await settled();
    expect(steps(manager.events)).toContain('lost a');
    expect(held.loss).toBeUndefined();
    expect(held.member('b').isHeld()).toBe(true);
  });
});

describe('a loss while another lock is waited for', () => {
  /** A call that has held `a`, has waited for `b`, and has lost `a`. */
  async function startedAgain(manager: ManagerUnderTest, options = {}) {
    const call = manager.locks.lock(['a', 'b'], options);
    call.catch(() => {});
    await settled();
    const [a, b] = manager.provider.attempts;
    const grant = a!.grant();
    b!.queue();
    await settled();
    grant.lose('session');
    await settled();
    return { call };
  }
  const beginning = ['acquired a', 'waiting b', 'lost a'];

  test('at the moment of its grant comes before those after it are asked for', async () => {
    const manager = lockManager();
    const { provider } = manager;
    void manager.locks.lock(['a', 'b', 'c']).catch(() => {});
    await settled();
    const grant = provider.attempts[0]!.grant();
    provider.attempts[1]!.queue();
    await settled();
    manager.locks.events.forResource('b').events$.subscribe(({ type }) => {
      if (type === 'acquired') grant.lose('session');
    });
    provider.attempts[1]!.grant();
    await settled();
    expect(provider.attempts.slice(3).map(({ request }) => request.resource)).toEqual(['a', 'b']);
  });

  test('does not end that wait for those who listen', async () => {
    const manager = lockManager();
    const { call } = await startedAgain(manager);
    const [a, b] = manager.provider.attempts.slice(2);
    b!.queue(3);
    a!.grant();
    await settled();
    b!.grant();
    expect((await call).isHeld()).toBe(true);
    expect(steps(manager.events)).toEqual([...beginning, 'acquired a', 'waiting b', 'acquired b']);
    expect(manager.events.filter(({ type }) => type === 'waiting')).toMatchObject([
      { requeued: false, ahead: 1 },
      { requeued: true, ahead: 3 },
    ]);
  });

  test.each([
    [
      'timedOut',
      { code: 'LOCK_TIMEOUT', resource: 'a' },
      (manager: ManagerUnderTest) => manager.clock.run(1_000),
    ],
    ['aborted', { message: 'enough' }, (_: ManagerUnderTest, stop: () => void) => stop()],
    [
      'failed',
      { code: 'LOCK_CLOSED', resource: 'a' },
      ({ locks }: ManagerUnderTest) => void locks.lifecycle.stop(),
    ],
  ] as const)('ends that wait with the call, if it fails before: %s', async (end, error, fails) => {
    const manager = lockManager();
    const abort = new AbortController();
    const { call } = await startedAgain(manager, { wait: 1_000, signal: abort.signal });
    manager.provider.attempts[2]!.queue();
    await settled();
    await fails(manager, () => abort.abort(new Error('enough')));
    expect(await rejectionOf(call)).toMatchObject(error);
    expect(steps(manager.events)).toEqual([...beginning, 'waiting a', `${end} a`, `${end} b`]);
  });

  test('ends that wait with the call, if the service closes before it asks again', async () => {
    const manager = lockManager();
    manager.locks.events.lost$.subscribe(() => void manager.locks.lifecycle.stop());
    const { call } = await startedAgain(manager);
    expect(await rejectionOf(call)).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(manager.provider.attempts).toHaveLength(2);
    expect(steps(manager.events)).toEqual([...beginning, 'failed b']);
  });
});

test('after a loss, a full queue refuses only those that have not been waited for', async () => {
  const manager = lockManager();
  const { provider } = manager;
  const holding = manager.locks.lock(['a', 'b', 'c'], { maxWaiters: 1 });
  await settled();
  const grant = provider.attempts[0]!.grant();
  provider.attempts[1]!.queue();
  await settled();
  grant.lose('session');
  await settled();
  for (const attempt of provider.attempts.slice(3)) attempt.grant();
  await settled();
  const again = provider.attempts.slice(3);
  expect(again.map(({ request }) => [request.resource, request.maxWaiters])).toEqual([
    ['a', Infinity],
    ['b', Infinity],
    ['c', 1],
  ]);
  provider.last.grant();
  await holding;
});

test('work sees each of its locks', async () => {
  const manager = lockManager();
  const working = manager.locks.withLock(['b', 'a'], undefined, async (held) => {
    await settled();
    return [currentLock('a'), currentLock('b'), currentLock()].map((lock) =>
      held.members.findIndex((member) => member === lock),
    );
  });
  await settled();
  for (const attempt of manager.provider.attempts) attempt.grant();
  expect(await working).toEqual([0, 1, 1]);
});

test.for([
  [[], 'A list of resource names must have at least one name: got []'],
  [['a', ''], "A resource name must be a non-empty string: got '' (string)"],
  [['a', 7], 'A resource name must be a non-empty string: got 7 (number)'],
])('bad names are refused before anything is acquired: %j', async ([names, message]) => {
  const manager = lockManager();
  await expect(manager.locks.lock(names as string[])).rejects.toThrow(message);
  expect(manager.provider.attempts).toEqual([]);
});

test('a list of one name is a group of one', async () => {
  const manager = lockManager();
  const holding = manager.locks.lock(['a']);
  await settled();
  manager.provider.last.grant(new TestGrant(5n));
  const held = await holding;
  expect(held.members.map(({ fencingToken }) => fencingToken)).toEqual([5n]);
  expect(await manager.locks.unlock(held)).toBe(true);
});

test('a message about many locks names only some of them', async () => {
  const manager = lockManager();
  const names = Array.from({ length: 9 }, (_, n) => `a${n}`);
  const locking = manager.locks.lock(names);
  await settled();
  for (const attempt of manager.provider.attempts) attempt.grant();
  const held = await locking;
  expect(() => held.member('b')).toThrow(
    "'b' is not one of those that are held together: 'a0', 'a1', 'a2', 'a3', 'a4' and 4 more",
  );
});

test('a lock that is asked for late is not told to have been waited for since the call', async () => {
  const { locks, provider, clock, warnings } = lockManager();
  void locks.lock(['a', 'b']).catch(() => {});
  await settled();
  provider.attempts[0]!.queue(1, 'web-2:18');
  await clock.run(31_000);
  expect(warnings).toEqual(["Still waiting for lock 'a' after 30 s, behind web-2:18"]);
  provider.attempts[0]!.grant();
  await clock.run(29_999);
  expect(warnings).toHaveLength(1);
  await clock.run(1);
  expect(warnings[1]).toBe("Still waiting for lock 'b' after 30 s");
});

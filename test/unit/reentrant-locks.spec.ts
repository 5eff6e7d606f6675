import { describe, expect, test, vi } from 'vitest';
import { runForCaller, runWithLock } from '../../lib/locking/current-lock.js';
import { LockCallerGoneError } from '../../lib/locking/errors/lock-caller-gone.error.js';
import { LockDeadlockError } from '../../lib/locking/errors/lock-deadlock.error.js';
import type { HeldLock } from '../../lib/locking/held-lock.interface.js';
import type { LockOptions } from '../../lib/locking/lock-options.js';
import type { LockFailure } from '../../lib/locking/lock-provider.interface.js';
import { settled, type FakeClock } from './fake-clock.js';
import { lockManager, watched, type ManagerUnderTest } from './manager-harness.js';
import { TestGrant } from './test-grant.js';

const NESTED = { reentrant: true } as const;

/** Runs `work` under lock `a`. */
async function under<T>(
  { locks, provider }: ManagerUnderTest,
  work: (held: HeldLock) => Promise<T>,
  { grant = new TestGrant(7n), ...options }: LockOptions & { grant?: TestGrant } = {},
): Promise<T> {
  const running = locks.withLock('a', { owner: 'me', ...options }, work);
  await settled();
  provider.last.grant(grant);
  return running;
}

/** A hold of `a` that a test releases itself. */
async function outermost({ locks, provider }: ManagerUnderTest, ttl = 0, grant = new TestGrant(7n)) {
  const acquiring = locks.lock('a', { ttl });
  await settled();
  provider.last.grant(grant);
  return { outer: await acquiring, grant };
}

/** The thread is descheduled for longer than any ttl right after it has read the clock so many times. */
function stallAfter(clock: FakeClock, reads: number): void {
  let left = reads;
  for (const name of ['monotonic', 'elapsed'] as const) {
    const read = clock[name].bind(clock);
    vi.spyOn(clock, name).mockImplementation(() => {
      const now = read();
      left -= 1;
      if (left === 0) clock.stall(1_000);
      return now;
    });
  }
}

test('a nested call has the lock at once, and with its token', async () => {
  const manager = lockManager();
  const grant = new TestGrant(7n);
  await under(
    manager,
    async () => {
      const inner = await manager.locks.lock('a', NESTED);
      expect(inner).toMatchObject({ resource: 'a', fencingToken: 7n });
      expect(inner.isHeld()).toBe(true);
      expect(await inner.release()).toBe(true);
      expect(inner.isHeld()).toBe(false);
      expect(grant.releases).toBe(0);
    },
    { grant },
  );
  expect(grant.releases).toBe(1);
  expect(manager.provider.attempts).toHaveLength(1);
  expect(manager.log).toEqual(['acquired', 'acquired', 'released', 'released']);
});

test('a nested hold knows why the lock is lost when code that is told of the loss ends it', async () => {
  const manager = lockManager();
  const { outer, grant } = await outermost(manager);
  const inner = await runWithLock(outer, () => manager.locks.lock('a', NESTED));
  outer.signal.addEventListener('abort', () => void inner.release());
  grant.lose('deleted');
  expect(inner.signal.reason).toMatchObject({ reason: 'deleted' });
  expect(manager.events.filter(({ type }) => type === 'lost')).toMatchObject([
    { reason: 'deleted' },
    { reason: 'deleted' },
  ]);
});

test('a nested hold knows why the lock is lost when code that is told of another nested one asks about it', async () => {
  const manager = lockManager();
  const { outer, grant } = await outermost(manager);
  const [one, other] = await runWithLock(outer, () =>
    Promise.all([manager.locks.lock('a', NESTED), manager.locks.lock('a', NESTED)]),
  );
  one.signal.addEventListener('abort', () => void other.release());
  grant.lose('deleted');
  expect(other.signal.reason).toMatchObject({ reason: 'deleted' });
});

test('an outer hold is told of the loss although code that is told of the loss of a nested one releases it', async () => {
  const manager = lockManager();
  const { outer, grant } = await outermost(manager);
  const inner = await runWithLock(outer, () => manager.locks.lock('a', NESTED));
  const told: string[] = [];
  outer.onLost(({ reason }) => told.push(reason));
  inner.signal.addEventListener('abort', () => void outer.release());
  grant.lose('deleted');
  expect(told).toEqual(['deleted']);
  expect(outer.signal.reason).toMatchObject({ reason: 'deleted' });
  expect(await outer.release()).toBe(false);
});

test('a nested call has the lock although its client has left, because the work around it goes on', async () => {
  const { locks, provider, log } = lockManager();
  const client = new AbortController();
  const running = runForCaller({ signal: client.signal, hasOneRequest: true }, () =>
    locks.withLock('a', {}, async () => {
      client.abort();
      await expect(locks.withLock('b', {}, () => {})).rejects.toBeInstanceOf(LockCallerGoneError);
      return locks.withLock('a', NESTED, () => 'booked');
    }),
  );
  provider.last.grant();
  expect(await running).toBe('booked');
  expect(log).toEqual(['acquired', 'aborted', 'acquired', 'released', 'released']);
});

test('the lock is free when the last one has ended, in whatever order (H48)', async () => {
  const manager = lockManager();
  const grant = new TestGrant(7n);
  const ends: (() => void)[] = [];
  const sibling = (): Promise<void> =>
    manager.locks.withLock('a', NESTED, () => new Promise<void>((resolve) => ends.push(resolve)));
  const siblings: Promise<void>[] = [];
  await under(
    manager,
    async () => {
      siblings.push(sibling(), sibling());
      await settled();
    },
    { grant },
  );
  expect(ends).toHaveLength(2);
  expect(grant.releases).toBe(0);
  ends[0]!();
  await siblings[0];
  expect(grant.releases).toBe(0);
  ends[1]!();
  await siblings[1];
  expect(grant.releases).toBe(1);
});

test('release() of the outermost resolves when the lock is free, and of a nested one at once', async () => {
  const manager = lockManager();
  const { outer, grant } = await outermost(manager, 0, new TestGrant(7n, true));
  const inner = await outer.run(() => manager.locks.lock('a', NESTED));
  const freed = watched(outer.release());
  expect(await freed()).toBe(false);
  expect(outer.isHeld()).toBe(false);
  expect(inner.isHeld()).toBe(true);
  void inner.release();
  expect(grant.releases).toBe(1);
  expect(await freed()).toBe(false);
  grant.confirm();
  expect(await freed()).toBe(true);
});

test('work that outlives its lock queues for it like anybody else (H48)', async () => {
  const manager = lockManager();
  let late: Promise<unknown> | undefined;
  let go = (): void => {};
  await under(manager, async () => {
    const released = new Promise<void>((resolve) => (go = resolve));
    late = released.then(() => manager.locks.lock('a', NESTED));
  });
  go();
  await settled();
  expect(manager.provider.attempts).toHaveLength(2);
  manager.provider.last.grant(new TestGrant(8n));
  expect(await late).toMatchObject({ fencingToken: 8n });
});

test('work that outlives a nested hold still has the outer one', async () => {
  const manager = lockManager();
  const seen: bigint[] = [];
  await under(manager, async () => {
    let go = (): void => {};
    const nestedReleased = new Promise<void>((resolve) => (go = resolve));
    let late: Promise<void> | undefined;
    await manager.locks.withLock('a', NESTED, async () => {
      late = nestedReleased.then(() =>
        manager.locks.withLock('a', NESTED, async ({ fencingToken }) => void seen.push(fencingToken)),
      );
    });
    go();
    await settled();
    expect(seen).toEqual([7n]);
    await late;
  });
  expect(manager.provider.attempts).toHaveLength(1);
});

test('work that outlives a nested hold is warned of waiting for the outer one, and may not convert it', async () => {
  const manager = lockManager();
  await under(manager, async () => {
    let late: Promise<PromiseSettledResult<unknown>[]> | undefined;
    let go = (): void => {};
    const nestedReleased = new Promise<void>((resolve) => (go = resolve));
    await manager.locks.withLock('a', NESTED, async () => {
      late = nestedReleased.then(() =>
        Promise.allSettled([
          manager.locks.lock('a', { mode: 'read', wait: 10 }),
          manager.locks.lock('a', { purpose: 'late', wait: 10 }),
        ]),
      );
    });
    go();
    await settled();
    manager.provider.last.queue();
    await manager.clock.run(10);
    expect(await late).toMatchObject([
      { reason: { code: 'LOCK_DEADLOCK' } },
      { reason: { code: 'LOCK_TIMEOUT' } },
    ]);
  });
  expect(manager.warnings).toEqual([expect.stringContaining('Possible self-deadlock: late is waiting')]);
});

test('a nested ttl is that of the outer hold also if the thread stalls just when the nested hold begins', async () => {
  const manager = lockManager();
  const { outer } = await outermost(manager, 100);
  const calling = outer.run(() => manager.locks.lock('a', NESTED));
  manager.clock.stall(60);
  const inner = await calling;
  void outer.release();
  expect(inner.isHeld()).toBe(true);
  await manager.clock.run(40);
  expect(inner.isHeld()).toBe(false);
});

test('a nested call is not refused as a deadlock when the outer ttl passes in the middle of it', async () => {
  for (let reads = 0; reads < 10; reads += 1) {
    const manager = lockManager();
    const { outer } = await outermost(manager, 100);
    stallAfter(manager.clock, reads);
    const calling = outer.run(() => manager.locks.lock('a', NESTED));
    const end = calling.catch((error: unknown) => error);
    await settled();
    if (manager.provider.attempts.length > 1) manager.provider.last.grant(new TestGrant(8n));
    expect(await end).not.toBeInstanceOf(LockDeadlockError);
  }
});

test('without the option, in another flow, for another name or in another service, a call queues', async () => {
  const manager = lockManager();
  const other = lockManager();
  await under(manager, async () => {
    void manager.locks.lock('a').catch(() => {});
    void manager.locks.lock('b', NESTED).catch(() => {});
    void other.locks.lock('a', NESTED).catch(() => {});
    await settled();
  });
  void manager.locks.lock('a', NESTED).catch(() => {});
  await settled();
  expect(manager.provider.attempts.map(({ request }) => request.resource)).toEqual(['a', 'a', 'b', 'a']);
  expect(other.provider.attempts).toHaveLength(1);
});

describe('a nested ttl', () => {
  test('ends the nested hold alone', async () => {
    const manager = lockManager();
    const grant = new TestGrant(7n);
    await under(
      manager,
      async () => {
        const inner = await manager.locks.lock('a', { ...NESTED, ttl: 100 });
        await manager.clock.run(100);
        expect(inner.signal.reason).toMatchObject({ reason: 'ttl' });
        expect(grant.releases).toBe(0);
      },
      { grant },
    );
    expect(manager.log).toEqual(['acquired', 'acquired', 'ttlExpired', 'released']);
    expect(grant.releases).toBe(1);
  });

  test('never outlives the outer one, even if that was released before', async () => {
    const manager = lockManager();
    const { outer, grant } = await outermost(manager, 1_000);
    await manager.clock.run(400);
    const [first, second] = await outer.run(() =>
      Promise.all([manager.locks.lock('a', { ...NESTED, ttl: 5_000 }), manager.locks.lock('a', NESTED)]),
    );
    void outer.release();
    second.extend(0);
    first.extend(60_000);
    await manager.clock.run(599);
    expect([first.isHeld(), second.isHeld()]).toEqual([true, true]);
    await manager.clock.run(1);
    expect([first.isHeld(), second.isHeld()]).toEqual([false, false]);
    expect(grant.releases).toBe(1);
  });
});

describe('a loss', () => {
  test('is one of all of them', async () => {
    const manager = lockManager();
    const { outer, grant } = await outermost(manager);
    const inner = await outer.run(() => manager.locks.lock('a', NESTED));
    grant.lose('deleted');
    expect([outer, inner].map(({ loss }) => loss?.reason)).toEqual(['deleted', 'deleted']);
    expect(manager.log.filter((type) => type === 'lost')).toHaveLength(2);
  });

  test('is told to a nested hold after the outermost was released', async () => {
    const manager = lockManager();
    const { outer, grant } = await outermost(manager);
    const inner = await outer.run(() => manager.locks.lock('a', NESTED));
    void outer.release();
    grant.lose('session');
    expect(inner.signal.reason).toMatchObject({ reason: 'session' });
    expect(outer.loss).toBeUndefined();
  });

  test('of the outermost by its ttl is one of the nested hold too', async () => {
    const manager = lockManager();
    const { outer, grant } = await outermost(manager, 100);
    const inner = await outer.run(() => manager.locks.lock('a', NESTED));
    await manager.clock.run(100);
    expect([outer, inner].map(({ loss }) => loss?.reason)).toEqual(['ttl', 'ttl']);
    expect(grant.releases).toBe(1);
  });
});

describe('the mode', () => {
  test.for([
    ['exclusive', 'exclusive'],
    ['exclusive', 'write'],
    ['exclusive', 'read'],
    ['write', 'read'],
    ['write', 'exclusive'],
    ['read', 'read'],
  ] as const)('within %s, %s is nested', async ([outer, inner]) => {
    const manager = lockManager();
    await under(
      manager,
      async () => {
        const held = await manager.locks.lock('a', { ...NESTED, mode: inner });
        expect(held.mode).toBe(inner);
      },
      { mode: outer },
    );
    expect(manager.provider.attempts).toHaveLength(1);
  });

  test.for([
    ['read', { mode: 'write' }],
    ['read', { mode: 'exclusive' }],
    ['exclusive', { permits: 2 }],
  ] as const)('within %s, %o is refused', async ([outer, wanted]) => {
    const manager = lockManager();
    await under(
      manager,
      async () => {
        await expect(manager.locks.lock('a', { ...NESTED, ...wanted })).rejects.toThrow(LockDeadlockError);
      },
      { mode: outer },
    );
  });
});

describe("a nested call with failure: 'closed'", () => {
  const CLOSED = { ...NESTED, failure: 'closed', owner: 'me' } as const;

  test.for(['exclusive', 'write'] as const)(
    'is refused at once in a hold with mode %s that fails open, and says what to try',
    async (mode) => {
      const manager = lockManager();
      const refused = under(manager, async () => void (await manager.locks.lock('a', CLOSED)), { mode });
      await expect(refused).rejects.toThrow(LockDeadlockError);
      await expect(refused).rejects.toThrow(
        "Lock 'a' was not acquired with `failure: 'closed'`: its caller holds it with `failure: 'open'`",
      );
      expect(manager.log).toEqual(['acquired', 'failed', 'released']);
      expect(manager.provider.attempts).toHaveLength(1);
    },
  );

  test('is refused among several before any is asked for', async () => {
    const manager = lockManager();
    const refused = under(manager, async () => void (await manager.locks.lock(['0', 'a'], CLOSED)));
    await expect(refused).rejects.toMatchObject({ code: 'LOCK_DEADLOCK', resource: 'a' });
    expect(manager.provider.attempts).toHaveLength(1);
  });

  test.for([
    ['without a wait', { wait: 0 }],
    ['without `reentrant`', { reentrant: false }],
  ] as const)('%s asks the store', async ([, options]) => {
    const manager = lockManager();
    await under(manager, async () => {
      void manager.locks.lock('a', { ...CLOSED, ...options }).catch(() => {});
      await settled();
    });
    expect(manager.provider.attempts).toHaveLength(2);
  });

  test('has the lock in a hold that fails closed, also within a nested one that does not', async () => {
    const manager = lockManager();
    await under(
      manager,
      () =>
        manager.locks.withLock('a', NESTED, async () => {
          expect(await manager.locks.lock('a', CLOSED)).toMatchObject({ fencingToken: 7n });
        }),
      { failure: 'closed' },
    );
    expect(manager.provider.attempts).toHaveLength(1);
  });
});

test('within a nested hold, a call may do what the outer one allows', async () => {
  const manager = lockManager();
  await under(
    manager,
    () =>
      manager.locks.withLock('a', { ...NESTED, mode: 'read' }, async () => {
        expect(await manager.locks.lock('a', { ...NESTED, mode: 'write' })).toMatchObject({ mode: 'write' });
      }),
    { mode: 'write' },
  );
  expect(manager.provider.attempts).toHaveLength(1);
});

test('a nested minHold keeps the lock taken', async () => {
  const manager = lockManager();
  const grant = new TestGrant(7n);
  await under(manager, () => manager.locks.withLock('a', { ...NESTED, minHold: 500 }, async () => {}), {
    grant,
  });
  expect(grant.releases).toBe(0);
  await manager.clock.run(500);
  expect(grant.releases).toBe(1);
});

test.for([100, 1_000])(
  'a nested minHold ends with the ttl of the outer one, whose work takes %i ms',
  async (ms) => {
    const manager = lockManager();
    const grant = new TestGrant(7n);
    const running = under(
      manager,
      async () => {
        await manager.locks.withLock('a', { ...NESTED, minHold: 3_000 }, async () => {});
        await new Promise<void>((resolve) => manager.clock.setTimer(resolve, ms));
      },
      { grant, ttl: 300 },
    ).catch(() => {});
    await manager.clock.run(310);
    expect(grant.releases).toBe(1);
    await manager.clock.run(5_000);
    await running;
    expect(grant.releases).toBe(1);
  },
);

test('a nested minHold lasts its full time if the outer hold is extended', async () => {
  const manager = lockManager();
  const grant = new TestGrant(7n);
  const running = under(
    manager,
    async (held) => {
      await manager.locks.withLock('a', { ...NESTED, minHold: 3_000 }, async () => {});
      held.extend(5_000);
    },
    { grant, ttl: 300 },
  );
  await running;
  await manager.clock.run(2_990);
  expect(grant.releases).toBe(0);
  await manager.clock.run(10);
  expect(grant.releases).toBe(1);
});

describe('a lingering nested hold', () => {
  /** Its work has ended, and that of the outer hold goes on. */
  async function lingering(manager: ManagerUnderTest, names: string[], failure: LockFailure) {
    const holding = manager.locks.lock(names, { failure, owner: 'me' });
    await settled();
    const grants = manager.provider.attempts.map((attempt) => attempt.grant());
    const outer = await holding;
    await outer.run(() =>
      manager.locks.withLock('a', { ...NESTED, failure, owner: 'me', minHold: 60_000 }, () => {}),
    );
    return { outer, grants };
  }

  test('does not keep a closed lock taken after a lock that is held together with it was lost', async () => {
    const manager = lockManager();
    const { outer, grants } = await lingering(manager, ['a', 'b'], 'closed');
    grants[1]!.lose('deleted');
    expect(grants[0]!.releases).toBe(0);
    expect(await outer.release()).toBe(false);
    expect(grants[0]!.releases).toBe(1);
  });

  test.for(['open', 'closed'] as const)(
    'is released, not lost, by a shutdown, and the lock is free when the outer work settles: %s',
    async (failure) => {
      const manager = lockManager({ drainTimeout: 0 });
      const { outer, grants } = await lingering(manager, ['a'], failure);
      const stopping = manager.locks.lifecycle.stop();
      await manager.clock.run(0);
      await stopping;
      expect(manager.log.slice(2)).toEqual(['released', 'lost']);
      expect(grants[0]!.releases).toBe(0);
      expect(await outer.release()).toBe(false);
      expect(grants[0]!.releases).toBe(1);
    },
  );
});

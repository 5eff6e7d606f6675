import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProxiedLocks } from '../faults/proxied-locks.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { acquire, tryAcquire, type Holding } from './kind-callers.js';
import { LOCK_KINDS, type LockKind } from './lock-kinds.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

async function expectClean(setup: ProxiedLocks, { resources }: LockKind): Promise<void> {
  for (const resource of resources) {
    await eventually(async () => (await setup.contenders(resource)).length === 0);
    expect(await setup.others.inspect(resource)).toMatchObject({ holders: [], waiters: [] });
  }
}

describe.each(LOCK_KINDS)('a lock of the kind $name', (kind) => {
  it.each(['cutBeforeForward', 'forwardThenCutBeforeReply'] as const)(
    'is held once, and freed once, when the connection is lost during its acquisition and its release (%s)',
    async (cut) => {
      await using setup = await ProxiedLocks.start(server);
      const { locks, others, proxy } = setup;
      const [mine, ...theirs] = kind.holders;
      // After this, the transactions that check the permissions at the start are answered.
      await (await acquire(locks, kind, mine!)).release();
      const alongside: Holding[] = [];
      for (const options of theirs) alongside.push(await acquire(others, kind, options));
      const lostCreate = proxy.once(kind.requests.acquire, cut, kind.requests.onlyChanges);
      const held = await acquire(locks, kind, mine!);
      await lostCreate.fired;
      expect(held.isHeld()).toBe(true);
      expect(await tryAcquire(others, kind, kind.waiters[0]!)).toBeNull();
      const lostDelete = proxy.once(kind.requests.release, cut, kind.requests.onlyChanges);
      expect(await held.release()).toBe(true);
      await lostDelete.fired;
      for (const holding of alongside) expect(await holding.release()).toBe(true);
      const next = await acquire(others, kind, kind.waiters[0]!);
      expect(await next.release()).toBe(true);
      await expectClean(setup, kind);
    },
  );
});

it('locks of all kinds are lost with the session of their holder, except those that fail closed', async () => {
  await using setup = await ProxiedLocks.start(server, { sessionTimeout: 2_000 });
  const { locks, others } = setup;
  const [open, closed] = [false, true].map((closes) =>
    LOCK_KINDS.filter((kind) => kind.failsClosed === closes),
  );
  const held = new Map<LockKind, Holding>();
  for (const kind of LOCK_KINDS) held.set(kind, await acquire(locks, kind, kind.holders[0]!));
  setup.proxy.refuse();
  for (const kind of open!) {
    // Of a semaphore, all permits: some were free before.
    const next = await Promise.all(kind.holders.map((options) => acquire(others, kind, options)));
    expect(held.get(kind)!.isHeld()).toBe(false);
    expect(held.get(kind)!.signal.reason).toMatchObject({ reason: 'session' });
    await Promise.all(next.map((holding) => holding.release()));
  }
  for (const kind of closed!) {
    expect(held.get(kind)!.isHeld()).toBe(true);
    expect(await tryAcquire(others, kind, kind.waiters[0]!)).toBeNull();
  }
  await setup.proxy.accept();
  await eventually(() => setup.count('sessionExpired') > 0);
  for (const kind of LOCK_KINDS) {
    expect(await held.get(kind)!.release()).toBe(kind.failsClosed);
    await expectClean(setup, kind);
  }
  const lost = setup.events.flatMap((event) =>
    event.type === 'lost' ? [`${event.resource} ${event.mode}`] : [],
  );
  expect(new Set(lost)).toEqual(
    new Set(open!.flatMap(({ resources, mode }) => resources.map((resource) => `${resource} ${mode}`))),
  );
});

import { firstValueFrom, of } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { currentLock } from '../../lib/locking/current-lock.js';
import type { LeaderWork } from '../../lib/locking/leadership/campaign.js';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';
import type { Leadership, Leading, LeadOptions } from '../../lib/locking/leadership/leadership.interface.js';
import { LockFairnessError } from '../../lib/locking/errors/lock-fairness.error.js';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import { settled } from './fake-clock.js';
import { lockManager, rejectionOf, watched, type ManagerUnderTest } from './manager-harness.js';
import { TestGrant } from './test-grant.js';

/** A subscription to the leadership of `a`, and what it has been told. */
function candidate(manager: ManagerUnderTest) {
  const seen: string[] = [];
  const states: Leadership[] = [];
  const subscription = manager.locks.elections.lead('a', {}).subscribe({
    next: (state) => {
      states.push(state);
      seen.push(state.leader ? `leads ${state.fencingToken}` : `follows ${state.owner ?? '-'}`);
    },
    error: (error: Error) => seen.push(`error ${error.name}`),
    complete: () => seen.push('complete'),
  });
  return { seen, states, subscription, leading: () => states.findLast((state) => state.leader) as Leading };
}

describe('a candidate', () => {
  test('leads while it holds the lock, and queues again after a loss', async () => {
    const manager = lockManager();
    const { seen, leading } = candidate(manager);
    await settled();
    expect(seen).toEqual(['follows -']);
    const first = manager.provider.last.grant(new TestGrant(3n));
    await settled();
    expect(seen).toEqual(['follows -', 'leads 3']);

    first.lose('session');
    // At once: another replica may lead a moment later.
    expect(seen).toEqual(['follows -', 'leads 3', 'follows -']);
    expect(leading().signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'session' });
    await settled();
    manager.provider.last.grant(new TestGrant(4n));
    await settled();
    expect(seen.at(-1)).toBe('leads 4');
  });

  test('is told who leads when it has to wait', async () => {
    const manager = lockManager();
    const owner = { owner: 'other', host: 'h', pid: 1, since: '' };
    const holder = { owner, fencingToken: 1n, mode: 'exclusive' } as const;
    manager.provider.inspect = async (resource) => ({ resource, holder, holders: [holder], waiters: [] });
    const { seen } = candidate(manager);
    await settled();
    manager.provider.last.queue();
    await settled();
    expect(seen).toEqual(['follows -', 'follows other']);
  });

  test('is not told who led before itself', async () => {
    const manager = lockManager();
    let answer = (): void => {};
    const owner = { owner: 'other', host: 'h', pid: 1, since: '' };
    const holder = { owner, fencingToken: 1n, mode: 'exclusive' } as const;
    manager.provider.inspect = (resource) =>
      new Promise((resolve) => {
        answer = () => resolve({ resource, holder, holders: [holder], waiters: [] });
      });
    const { seen } = candidate(manager);
    await settled();
    manager.provider.last.queue();
    const grant = manager.provider.last.grant(new TestGrant(3n));
    await settled();
    grant.lose('session');
    answer();
    await settled();
    expect(seen).toEqual(['follows -', 'leads 3', 'follows -']);
  });

  test('waits for as long as it takes, whatever the defaults of the module', async () => {
    const manager = lockManager({
      defaults: { wait: 0, ttl: 5, maxWaiters: 1, whenCallerLeaves: 'leave', reentrant: true },
    });
    candidate(manager);
    await settled();
    expect(manager.provider.last.request).toMatchObject({ immediate: false, maxWaiters: Infinity });
    await manager.clock.run(60_000);
    expect(manager.provider.last.request.abort.aborted).toBe(false);
  });

  test('that leaves as soon as it follows asks for nothing', async () => {
    const manager = lockManager();
    await firstValueFrom(manager.locks.elections.lead('a', {}));
    await settled();
    expect(manager.provider.attempts).toEqual([]);
  });

  test('that leaves ends its wait', async () => {
    const manager = lockManager();
    const { subscription, seen } = candidate(manager);
    await settled();
    subscription.unsubscribe();
    expect(manager.provider.last.request.abort.aborted).toBe(true);
    await settled();
    expect(manager.events).toMatchObject([
      { type: 'aborted', reason: { message: 'The candidate has left' } },
    ]);
    expect(seen).toEqual(['follows -']);
    expect(manager.provider.attempts).toHaveLength(1);
  });

  test('that leaves while it leads releases the lock, after its signal has aborted', async () => {
    const manager = lockManager();
    const { subscription, leading } = candidate(manager);
    await settled();
    const grant = manager.provider.last.grant();
    await settled();
    const { signal } = leading();
    signal.addEventListener('abort', () => expect(grant.releases).toBe(0));
    subscription.unsubscribe();
    expect(signal.aborted).toBe(true);
    await settled();
    expect(grant.releases).toBe(1);
    expect(manager.provider.attempts).toHaveLength(1);
  });

  test('may close the service when its leadership ends because of that', async () => {
    const manager = lockManager();
    const { leading } = candidate(manager);
    await settled();
    manager.provider.last.grant();
    await settled();
    const closings: Promise<void>[] = [];
    leading().signal.addEventListener('abort', () => closings.push(manager.locks.lifecycle.close()));
    const stopping = watched(manager.locks.lifecycle.stop());
    expect(await stopping()).toBe(true);
    await closings[0];
    expect(manager.provider.calls).toEqual(['close']);
    expect(manager.clock.timers).toBe(0);
  });

  test('tries again after a mistake that can be mended, such as a missing chroot, and warns once', async () => {
    const manager = lockManager();
    const { seen } = candidate(manager);
    await settled();
    const missing = new LockConfigurationError('The chroot is missing');
    for (const [error, pause] of [
      [new LockUnavailableError('a', 'there was no connection'), 500],
      [missing, 1_000],
      [missing, 2_000],
    ] as const) {
      manager.provider.last.fail(error);
      await settled();
      await manager.clock.run(pause);
    }
    expect(manager.warnings).toEqual([
      expect.stringContaining("A candidate for 'a' waits for contact: "),
      "A candidate for 'a' cannot lead, and tries again: The chroot is missing",
    ]);
    manager.provider.last.grant(new TestGrant(3n));
    await settled();
    expect(seen).toEqual(['follows -', 'leads 3']);
  });

  test('hands the leadership over as soon as the service begins to close', async () => {
    const manager = lockManager();
    const { seen, leading } = candidate(manager);
    const waiting = candidate(manager);
    await settled();
    const grant = manager.provider.attempts[0]!.grant();
    manager.provider.attempts[1]!.queue();
    await settled();
    const stopping = watched(manager.locks.lifecycle.stop());
    expect(leading().signal.reason).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(await stopping()).toBe(true);
    expect(grant.releases).toBe(1);
    expect(seen.slice(1)).toEqual([expect.stringContaining('leads'), 'follows -', 'complete']);
    expect(waiting.seen.at(-1)).toBe('complete');
  });

  test('queues again after a pause without contact, and gives up if no lock will ever be granted', async () => {
    const manager = lockManager();
    const { seen } = candidate(manager);
    await settled();
    manager.provider.last.fail(new LockUnavailableError('a', 'no contact'));
    await settled();
    expect(manager.provider.attempts).toHaveLength(1);
    await manager.clock.run(500);
    expect(manager.provider.attempts).toHaveLength(2);
    manager.provider.usable = false;
    manager.provider.last.fail(new LockUnavailableError('a', 'refused'));
    await settled();
    expect(seen.at(-1)).toBe('error LockUnavailableError');
  });

  test('says once why it cannot stand, keeps the process alive, and tries again every 5 s', async () => {
    const manager = lockManager();
    candidate(manager);
    await settled();
    for (const pause of [500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
      manager.provider.last.fail(
        new LockUnavailableError('a', 'the ACL of its lock path refuses the session'),
      );
      await settled();
      expect(manager.clock.keepingAlive).toBe(1);
      const { length } = manager.provider.attempts;
      await manager.clock.run(pause);
      expect(manager.provider.attempts).toHaveLength(length + 1);
    }
    expect(manager.warnings).toEqual([expect.stringContaining("A candidate for 'a' waits for contact: ")]);
  });

  test('goes on although another ensemble has refused the credentials', async () => {
    const manager = lockManager();
    const { seen } = candidate(manager);
    await settled();
    manager.provider.listener.authenticationFailed();
    manager.provider.last.fail(new LockUnavailableError('a', 'no contact'));
    await manager.clock.run(500);
    manager.provider.last.grant();
    await settled();
    expect(seen.at(-1)).toContain('leads');
  });

  test('does not begin to lead with a lock that is over by the clock (H41)', async () => {
    const manager = lockManager();
    const grant = new TestGrant(3n);
    grant.deadline = manager.clock.elapsed() + 1_000;
    manager.locks.events.events$.subscribe(({ type }) => {
      if (type === 'acquired') manager.clock.stall(60_000);
    });
    const { seen } = candidate(manager);
    await settled();
    manager.provider.last.grant(grant);
    await settled();
    expect(seen.filter((state) => state.includes('leads'))).toEqual([]);
    await manager.clock.run(500);
    expect(manager.provider.attempts).toHaveLength(2);
  });

  test('cannot acquire a lock in the moment in which it steps down for a shutdown', async () => {
    const manager = lockManager();
    const { leading } = candidate(manager);
    await settled();
    manager.provider.last.grant();
    await settled();
    let late: Promise<unknown> | undefined;
    leading().signal.addEventListener('abort', () => {
      late = rejectionOf(manager.locks.lock('b'));
    });
    await manager.locks.lifecycle.stop();
    expect(await late).toMatchObject({ code: 'LOCK_CLOSED' });
    expect(manager.provider.attempts).toHaveLength(1);
  });

  test('does not keep the lock of the code that has made it (H64)', async () => {
    const manager = lockManager();
    const seen: unknown[] = [];
    const subscribe = (): void => {
      manager.locks.elections.lead('a', {}).subscribe(({ leader }) => leader && seen.push(currentLock('x')));
    };
    const working = manager.locks.withLock('x', undefined, subscribe);
    await settled();
    manager.provider.last.grant();
    await working;
    await settled();
    manager.provider.last.grant(new TestGrant(2n));
    await settled();
    expect(seen).toEqual([undefined]);
  });

  test('with bad options is refused at the call', () => {
    const { locks } = lockManager();
    expect(() => locks.elections.lead('', {})).toThrow('A resource name must be');
    expect(() => locks.elections.lead('a', { owner: '' })).toThrow('`owner` must be');
  });

  test.for([
    [{ permits: 2 }, "unknown leadership option 'permits': accepted are owner, purpose"],
    [{ owner: 'o', mode: 'read' }, "unknown leadership option 'mode': accepted are owner, purpose"],
    [{ ttl: 5 }, "unknown leadership option 'ttl'"],
    [{ signal: AbortSignal.abort() }, "unknown leadership option 'signal'"],
    [5, 'lead() takes an object of options such as { owner, purpose }: got 5 (number)'],
    [null, 'lead() takes an object of options such as { owner, purpose }: got null'],
  ] as const)('with the options %o is refused at the call', ([given, message]) => {
    const { locks } = lockManager();
    const lead = (): unknown => locks.elections.lead('a', given as LeadOptions);
    expect(lead).toThrow(LockConfigurationError);
    expect(lead).toThrow(message);
  });
});

describe('work', () => {
  /** A campaign for `a` whose work the test ends. */
  function campaign(manager: ManagerUnderTest) {
    const runs: { leading: Leading; end: () => void; fail: (error: unknown) => void }[] = [];
    const failures: unknown[] = [];
    const work: LeaderWork = {
      lead: (leading) =>
        new Promise<void>((resolve, reject) => runs.push({ leading, end: resolve, fail: reject })),
      failed: (error) => failures.push(error),
    };
    const running = manager.locks.elections.campaign('a', {}, work);
    return { runs, failures, campaign: running, done: watched(running.run()) };
  }

  test('that goes on after the loss keeps this replica from leading again, until it ends', async () => {
    const manager = lockManager();
    const { runs, failures } = campaign(manager);
    await settled();
    const grant = manager.provider.last.grant();
    await settled();
    grant.lose('session');
    await settled();
    expect(runs[0]!.leading.signal.aborted).toBe(true);
    expect(manager.provider.attempts).toHaveLength(1);
    runs[0]!.fail(runs[0]!.leading.signal.reason);
    await settled();
    expect(manager.provider.attempts).toHaveLength(2);
    expect(failures).toEqual([]);
  });

  test('that fails, and whose failure cannot be reported, runs again', async () => {
    const manager = lockManager();
    const work: LeaderWork = {
      lead: () => Promise.reject(new Error('disk full')),
      failed: () => {
        throw new Error('no log');
      },
    };
    const running = manager.locks.elections.campaign('a', {}, work);
    const done = watched(running.run());
    await settled();
    manager.provider.last.grant();
    await manager.clock.run(60_000);
    expect(manager.provider.attempts).toHaveLength(2);
    expect(await done()).toBe(false);
  });

  test('waits for its turn again, after a report, if somebody has used the lock without a queue', async () => {
    const manager = lockManager();
    const { failures, done } = campaign(manager);
    await settled();
    const refusal = new LockFairnessError('a', false);
    manager.provider.last.fail(refusal);
    await queuesAfter(manager, 500);
    expect(failures).toEqual([refusal]);
    expect(await done()).toBe(false);
  });

  test('that returns a stream fails, because nobody would consume it', async () => {
    const manager = lockManager();
    const failures: unknown[] = [];
    const work: LeaderWork = { lead: () => of('mail'), failed: (error) => failures.push(error) };
    void manager.locks.elections.campaign('a', {}, work).run();
    await settled();
    const grant = manager.provider.last.grant();
    await settled();
    expect(failures).toEqual([expect.any(LockConfigurationError)]);
    expect(String(failures[0])).toContain("The leader of 'a' returned an Observable or an async generator");
    expect(grant.releases).toBe(1);
  });

  test('that releases the lock steps down: its signal aborts first, and it queues again after a pause', async () => {
    const manager = lockManager();
    const { provider } = manager;
    const grants: TestGrant[] = [];
    const seen: unknown[] = [];
    const work: LeaderWork = {
      lead: async ({ signal }) => {
        const lock = currentLock()!;
        signal.addEventListener('abort', () => {
          seen.push(grants.at(-1)!.releases, currentLock());
          void lock.release();
        });
        seen.push(await lock.release(), signal.reason);
      },
      failed: (error) => seen.push(error),
    };
    void manager.locks.elections.campaign('a', {}, work).run();
    for (const pause of [500, 1_000]) {
      await settled();
      grants.push(provider.last.grant());
      await settled();
      const released = expect.objectContaining({ code: 'LOCK_LOST', reason: 'released' }) as unknown;
      expect(seen.splice(0)).toEqual([0, undefined, true, released]);
      expect(grants.at(-1)!.releases).toBe(1);
      await queuesAfter(manager, pause);
    }
  });

  test('that has lost the lock, and releases it, queues again at once', async () => {
    const manager = lockManager();
    const work: LeaderWork = {
      lead: async ({ signal }) => {
        await using _held = currentLock()!;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      failed: () => {},
    };
    void manager.locks.elections.campaign('a', {}, work).run();
    await settled();
    const grant = manager.provider.last.grant();
    await settled();
    grant.lose('session');
    await settled();
    expect(manager.provider.attempts).toHaveLength(2);
  });

  test('that ends before the leadership does not end the leadership', async () => {
    const manager = lockManager();
    const { runs } = campaign(manager);
    await settled();
    const grant = manager.provider.last.grant();
    await settled();
    runs[0]!.end();
    await manager.clock.run(60_000);
    expect(grant.releases).toBe(0);
    expect(runs).toHaveLength(1);
  });

  test('that fails hands the leadership over, and is tried again after a pause that grows', async () => {
    const manager = lockManager();
    const { runs, failures } = campaign(manager);
    for (const pause of [500, 1_000, 2_000]) {
      await settled();
      const { length } = manager.provider.attempts;
      const grant = manager.provider.last.grant();
      await settled();
      runs.at(-1)!.fail(new Error('disk full'));
      await settled();
      expect(runs.at(-1)!.leading.signal.aborted).toBe(true);
      expect(grant.releases).toBe(1);
      await manager.clock.run(pause - 1);
      expect(manager.provider.attempts).toHaveLength(length);
      await manager.clock.run(1);
      expect(manager.provider.attempts).toHaveLength(length + 1);
    }
    expect(failures).toHaveLength(3);
  });

  test('that fails after an outage is tried again after the shortest pause', async () => {
    const manager = lockManager();
    const { runs } = campaign(manager);
    await withoutContact(manager, 8);
    await failsOnceElected(manager, runs);
    await queuesAfter(manager, 500);
    // And an outage does not make a failure forgotten.
    await withoutContact(manager, 8);
    await failsOnceElected(manager, runs);
    await queuesAfter(manager, 1_000);
  });

  test('that fails again and again makes the pauses without contact no longer', async () => {
    const manager = lockManager();
    const { runs } = campaign(manager);
    await withoutContact(manager, 3);
    await failsOnceElected(manager, runs);
    await queuesAfter(manager, 500);
    manager.provider.last.fail(new LockUnavailableError('a', 'no contact'));
    await queuesAfter(manager, 500);
  });

  test.each([
    [30_000, 1_000],
    [30_001, 500],
  ])('that fails again after leading for %i ms is tried again after %i ms', async (led, pause) => {
    const manager = lockManager();
    const { runs } = campaign(manager);
    await failsOnceElected(manager, runs);
    await queuesAfter(manager, 500);
    await failsOnceElected(manager, runs, led);
    await queuesAfter(manager, pause);
  });

  /** So many attempts fail, and the pause after each is over. */
  async function withoutContact({ provider, clock }: ManagerUnderTest, attempts: number): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      await settled();
      provider.last.fail(new LockUnavailableError('a', 'no contact'));
      await settled();
      await clock.run(30_000);
    }
  }

  async function failsOnceElected(
    { provider, clock }: ManagerUnderTest,
    runs: readonly { fail: (error: unknown) => void }[],
    led = 0,
  ): Promise<void> {
    await settled();
    provider.last.grant();
    await settled();
    await clock.run(led);
    runs.at(-1)!.fail(new Error('disk full'));
    await settled();
  }

  async function queuesAfter({ provider, clock }: ManagerUnderTest, pause: number): Promise<void> {
    await settled();
    const { length } = provider.attempts;
    await clock.run(pause - 1);
    expect(provider.attempts).toHaveLength(length);
    await clock.run(1);
    expect(provider.attempts).toHaveLength(length + 1);
  }

  test('is waited for by the shutdown, and the lock is released when it has ended', async () => {
    const manager = lockManager();
    const { runs, done } = campaign(manager);
    await settled();
    const grant = manager.provider.last.grant();
    await settled();
    const stopping = watched(manager.locks.lifecycle.stop());
    expect(await stopping()).toBe(false);
    expect(runs[0]!.leading.signal.aborted).toBe(true);
    expect(grant.releases).toBe(0);
    runs[0]!.end();
    expect(await done()).toBe(true);
    expect(grant.releases).toBe(1);
    expect(await stopping()).toBe(true);
  });
});

import { describe, expect, test } from 'vitest';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import { settled } from './fake-clock.js';
import { RESOURCE, hold } from './hold-harness.js';
import { watched } from './manager-harness.js';
import { TestGrant } from './test-grant.js';

test('a hold asks its grant for the note only when it is needed, because a closed lock has none between two sessions', () => {
  const grant = new TestGrant();
  const refusal = new LockUnavailableError(RESOURCE, 'there is no session');
  Object.defineProperty(grant, 'note', {
    get: () => {
      throw refusal;
    },
  });
  const { held } = hold({ grant });
  expect(held.isHeld()).toBe(true);
  expect(() => held.note).toThrow(refusal);
});

test('a hold has the properties of its lock', () => {
  const { held, clock } = hold({ grant: new TestGrant(77n), owner: 'web-1' });
  expect(held).toMatchObject({ resource: RESOURCE, owner: 'web-1', fencingToken: 77n });
  expect(held.acquiredAt).toEqual(new Date(clock.wall()));
  expect(held.isHeld()).toBe(true);
  expect(() => held.assertHeld()).not.toThrow();
});

describe('release', () => {
  test('is sent immediately, and resolves with true when the store has confirmed it', async () => {
    const { held, grant, clock, log, events } = hold({ grant: new TestGrant(5n, true), owner: 'me' });
    clock.advance(30);
    const released = held.release();
    expect(grant.releases).toBe(1);
    expect(held.isHeld()).toBe(false);
    expect(log).toEqual(['released']);
    await settled();
    expect(log).toEqual(['released']);
    grant.confirm();
    await expect(released).resolves.toBe(true);
    expect(log).toEqual(['released', 'ended']);
    expect(events).toEqual([
      {
        type: 'released',
        resource: RESOURCE,
        owner: 'me',
        mode: 'exclusive',
        fencingToken: 5n,
        heldMs: 30,
        at: clock.wall(),
      },
    ]);
  });

  test('resolves with false if another client had deleted the node', async () => {
    const { held, grant } = hold({ grant: new TestGrant(1n, true) });
    const released = held.release();
    grant.confirm(false);
    await expect(released).resolves.toBe(false);
  });

  test('called twice, in parallel or in sequence, is one release with one outcome (H09)', async () => {
    const { held, grant, log } = hold();
    await expect(Promise.all([held.release(), held.release()])).resolves.toEqual([true, true]);
    await expect(held.release()).resolves.toBe(true);
    expect(grant.releases).toBe(1);
    expect(log).toEqual(['released', 'ended']);
  });

  test('called again by a subscriber of its event has the same outcome', async () => {
    const { held, grant, lockEvents, log } = hold();
    const outcomes: Promise<boolean>[] = [];
    lockEvents.events$.subscribe(() => outcomes.push(held.release()));
    outcomes.push(held.release());
    await expect(Promise.all(outcomes)).resolves.toEqual([true, true]);
    expect(grant.releases).toBe(1);
    expect(log).toEqual(['released', 'ended']);
  });

  test('is called at the end of an `await using` block', async () => {
    const { held, grant, log } = hold({ grant: new TestGrant(1n, true) });
    const left = (async () => {
      await using lock = held;
      log.push(`held ${lock.isHeld()}`);
    })();
    await settled();
    expect(log).toEqual(['held true', 'released']);
    grant.confirm(false);
    await expect(left).resolves.toBeUndefined();
  });

  test.for([
    ['confirmed', 'loses contact', (grant: TestGrant) => grant.loseContact()],
    ['sent', 'has been sent', (grant: TestGrant) => grant.leave()],
  ] as const)(
    'at the end of an `await using` block with release: %s waits until it %s, and then continues',
    async ([releaseMode, , interrupt]) => {
      const { held, grant, log } = hold({ grant: new TestGrant(1n, true), releaseMode });
      const left = watched(
        (async () => {
          await using _lock = held;
        })(),
      );
      expect(await left()).toBe(false);
      interrupt(grant);
      expect(await left()).toBe(true);
      expect(log).toEqual(['released']);
      const released = held.release();
      grant.confirm();
      await expect(released).resolves.toBe(true);
      expect(log).toEqual(['released', 'ended']);
    },
  );

  test('at the end of an `await using` block whose lock was lost waits for nothing, and throws nothing', async () => {
    const { held, grant, log } = hold({ grant: new TestGrant(1n, true) });
    await (async () => {
      await using _lock = held;
      grant.lose('session');
    })();
    expect(log).toEqual(['abort session', 'lost session']);
  });

  test('never aborts the signal, even if the session ends later', async () => {
    const { held, grant, log } = hold();
    await held.release();
    grant.lose('session');
    expect(held.signal.aborted).toBe(false);
    expect(held.loss).toBeUndefined();
    expect(log).toEqual(['released', 'ended']);
  });

  test('leaves no timer, and no event follows it (H44)', async () => {
    const { held, clock, log } = hold({ ttl: 5_000 });
    expect(clock.timers).toBe(2);
    await held.release();
    expect(clock.timers).toBe(0);
    await clock.run(60_000);
    expect(log).toEqual(['released', 'ended']);
  });
});

describe('after its release', () => {
  test.for([0, 10_000])('assertHeld throws, even %i ms later', async (ms) => {
    const { held, grant, clock } = hold({ ttl: 5_000 });
    await held.release();
    clock.advance(ms);
    grant.deadline = clock.elapsed() - 1;
    expect(held.isHeld()).toBe(false);
    expect(() => held.assertHeld()).toThrow(LockLostError);
    expect(() => held.assertHeld()).toThrow(`Lock '${RESOURCE}' is not held (released)`);
  });

  test('a revocation request is ignored', async () => {
    const { held, grant, log } = hold();
    await held.release();
    grant.requestRevocation();
    expect(log).toEqual(['released', 'ended']);
  });
});

test('a revocation request emits an event, and nothing else happens', () => {
  const { held, grant, log } = hold();
  grant.requestRevocation();
  grant.requestRevocation();
  expect(log).toEqual(['revokeRequested', 'revokeRequested']);
  expect(held.isHeld()).toBe(true);
});

describe('finish, the release after work', () => {
  test('resolves when the release is confirmed', async () => {
    const { held } = hold();
    await expect(held.finish()).resolves.toBeUndefined();
  });

  test('rejects if the node was deleted during the work', async () => {
    const { held, grant } = hold({ grant: new TestGrant(1n, true) });
    const finished = held.finish();
    grant.confirm(false);
    await expect(finished).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
  });

  test('rejects with an earlier loss', async () => {
    const { held, grant } = hold();
    grant.lose('session');
    await expect(held.finish()).rejects.toBe(held.loss);
  });
});

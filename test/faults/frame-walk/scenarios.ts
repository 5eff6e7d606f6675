import { LockLostError, LockTimeoutError, LockUnavailableError, type HeldLock } from '../../../lib/index.js';
import { eventually } from '../../support/eventually.js';
import type { ProxiedLocks } from '../proxied-locks.js';

export const RESOURCE = 'walked';

/** A conversation with ZooKeeper into which faults are injected, frame by frame. */
export interface Scenario {
  readonly name: string;
  /** Runs before the conversation; resolves with the lock that another client holds during it, if any. */
  prepare(setup: ProxiedLocks): Promise<HeldLock | undefined>;
  /** The conversation; resolves with the lock that was granted, if any, and rejects if the outcome is not allowed. */
  act(setup: ProxiedLocks, rival: HeldLock | undefined): Promise<HeldLock | null>;
}

/** Limits the runs in which a fault prevents the grant. */
const WAIT_MS = 15_000;

const heldByRival = (setup: ProxiedLocks): Promise<HeldLock> => setup.others.lock(RESOURCE);
const nobody = async (): Promise<undefined> => undefined;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'acquire, uncontended',
    prepare: nobody,
    act: async (setup) => setup.locks.lock(RESOURCE, { wait: WAIT_MS }),
  },
  {
    name: 'acquire, contended',
    prepare: heldByRival,
    act: async (setup, rival) => {
      const attempt = setup.locks.lock(RESOURCE, { wait: WAIT_MS });
      await inQueue(setup);
      await rival!.release();
      return attempt;
    },
  },
  {
    name: 'tryLock, free',
    prepare: nobody,
    act: async (setup) => orUnavailable(setup.locks.tryLock(RESOURCE)),
  },
  {
    name: 'tryLock, busy',
    prepare: heldByRival,
    act: async (setup) => {
      const held = await orUnavailable(setup.locks.tryLock(RESOURCE));
      if (held !== null) throw new Error('granted although another client holds it');
      return null;
    },
  },
  {
    name: 'release',
    prepare: nobody,
    act: async (setup) => {
      const held = await setup.locks.lock(RESOURCE, { wait: WAIT_MS });
      const kept = await held.release();
      if (!kept && !(held.signal.reason instanceof LockLostError))
        throw new Error('a kept lock was reported as lost');
      return null;
    },
  },
  {
    name: 'timeout',
    prepare: heldByRival,
    act: async (setup) => {
      await expectFailure(
        setup.locks.lock(RESOURCE, { wait: 200 }),
        (error) => error instanceof LockTimeoutError || error instanceof LockUnavailableError,
      );
      return null;
    },
  },
  {
    name: 'abort',
    prepare: heldByRival,
    act: async (setup) => {
      const controller = new AbortController();
      const reason = new Error('no longer wanted');
      const attempt = setup.locks.lock(RESOURCE, { signal: controller.signal });
      attempt.catch(() => {});
      await inQueue(setup);
      controller.abort(reason);
      await expectFailure(attempt, (error) => error === reason);
      return null;
    },
  },
];

/** Waits until our contender is queued behind the rival's, as long as no fault prevents it. */
async function inQueue(setup: ProxiedLocks): Promise<void> {
  await eventually(async () => (await setup.contenders(RESOURCE)).length === 2, { intervalMs: 5 });
}

async function orUnavailable(attempt: Promise<HeldLock | null>): Promise<HeldLock | null> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof LockUnavailableError) return null;
    throw error;
  }
}

async function expectFailure(
  attempt: Promise<HeldLock>,
  accepted: (error: unknown) => boolean,
): Promise<void> {
  const outcome = await attempt.then(
    () => new Error('granted although another client holds it'),
    (error: unknown) => error,
  );
  if (!accepted(outcome)) throw outcome;
}

import type { Hold } from '../../lib/locking/hold.js';
import type { LockEvent } from '../../lib/locking/lock-event.interface.js';
import { LockManager, type LockManagerOptions } from '../../lib/locking/lock-manager.js';
import { LOCK_DEFAULTS, type LockOptions } from '../../lib/locking/lock-options.js';
import { FakeClock, settled } from './fake-clock.js';
import { CONNECTION, ScriptedProvider } from './scripted-provider.js';
import { TestGrant } from './test-grant.js';

export interface ManagerUnderTest {
  readonly locks: LockManager;
  readonly provider: ScriptedProvider;
  readonly clock: FakeClock;
  readonly warnings: string[];
  /** All events since the connection. */
  readonly events: LockEvent[];
  /** Their types. */
  readonly log: string[];
}

/** A connected manager on a scripted provider. */
export function lockManager(options: Partial<LockManagerOptions> = {}): ManagerUnderTest {
  const clock = new FakeClock();
  const provider = new ScriptedProvider();
  const warnings: string[] = [];
  const locks = new LockManager(provider, {
    defaults: LOCK_DEFAULTS,
    owner: 'me',
    release: 'confirmed',
    connectTimeout: 10_000,
    lazy: false,
    slowWaitWarning: 30_000,
    drainTimeout: 10_000,
    clock,
    warn: (message) => warnings.push(message),
    ...options,
  });
  locks.lifecycle.open();
  provider.listener.ready(CONNECTION);
  const events: LockEvent[] = [];
  const log: string[] = [];
  locks.events.events$.subscribe((event) => {
    events.push(event);
    log.push(event.type);
  });
  return { locks, provider, clock, warnings, events, log };
}

/** The reason a promise was rejected with; throws if it was not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('The promise was not rejected');
}

/** A hold of resource `a`. */
export async function granted(
  { locks, provider }: ManagerUnderTest,
  options: LockOptions = {},
  grant = new TestGrant(),
): Promise<Hold> {
  const acquiring = locks.lock('a', options);
  provider.last.grant(grant);
  return acquiring;
}

/** Whether `promise` is fulfilled now. */
export function watched(promise: Promise<unknown>): () => Promise<boolean> {
  let done = false;
  void promise.then(() => (done = true));
  return async () => {
    await settled();
    return done;
  };
}

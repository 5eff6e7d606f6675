import { Injectable } from '@nestjs/common';
import { LockService } from '../../lock.service.js';
import { SystemClock } from '../../locking/clock.js';
import type { LossReason } from '../../locking/errors/lock-lost.error.js';
import { LockManager } from '../../locking/lock-manager.js';
import { LOCK_DEFAULTS } from '../../locking/lock-options.js';
import { FakeLockProvider } from './fake-lock.provider.js';

/**
 * A hold that a `FakeLockService` has granted.
 *
 * @publicApi
 */
export interface FakeHold {
  readonly resource: string;
  readonly fencingToken: bigint;
}

/**
 * A lock service for unit tests of locked code, without ZooKeeper: every lock is granted at once, unless the test says
 * that it is busy or that there is no connection. It excludes nobody, also not two calls of one process; everything
 * else (results, errors, ttl, events, `LockService.current()`) is the real thing.
 *
 * @publicApi
 * @example
 * const locks = new FakeLockService();
 * const module = await Test.createTestingModule({ imports: [AppModule] })
 *   .overrideProvider(LockService)
 *   .useValue(locks)
 *   .compile();
 *
 * locks.setBusy('order:42');
 * await expect(module.get(Orders).pay('42')).rejects.toThrow(LockBusyError);
 */
@Injectable()
export class FakeLockService extends LockService {
  private readonly provider: FakeLockProvider;

  constructor() {
    const provider = new FakeLockProvider();
    const manager = new LockManager(provider, {
      defaults: { ...LOCK_DEFAULTS, wait: 0 },
      owner: 'fake',
      release: 'confirmed',
      connectTimeout: 1_000,
      slowWaitWarning: Infinity,
      lazy: true,
      drainTimeout: 0,
      clock: new SystemClock(),
      warn: () => {},
    });
    super(manager);
    this.provider = provider;
    manager.open();
  }

  /** The locks held now, in the order of their grants. */
  get held(): readonly FakeHold[] {
    return [...this.provider.grants];
  }

  /** The resources of all grants so far, in order. */
  get granted(): readonly string[] {
    return this.provider.granted;
  }

  /** Lets all further attempts for `resource` find it busy, or no longer. */
  setBusy(resource: string, busy = true): void {
    if (busy) this.provider.busy.add(resource);
    else this.provider.busy.delete(resource);
  }

  /** Lets all further attempts fail with `LockUnavailableError`, or no longer. */
  setUnavailable(unavailable = true): void {
    this.provider.unavailable = unavailable;
  }

  /** Takes the held locks of `resource` away, as if the session had been lost. */
  lose(resource: string, reason: LossReason = 'session'): void {
    for (const grant of this.provider.grants) {
      if (grant.resource === resource) grant.lose(reason);
    }
  }
}

import { Injectable, Optional } from '@nestjs/common';
import { LockService } from '../../lock.service.js';
import { MODULE_OPTIONS, type LockModuleOptions } from '../../options/lock-module-options.js';
import { resolveModuleOptions } from '../../options/resolve-module-options.js';
import { SystemClock } from '../../locking/clock.js';
import { quoted } from '../../locking/describe-value.js';
import type { LossReason } from '../../locking/errors/lock-lost.error.js';
import { withInherited } from '../../locking/inherited-options.js';
import { LockManager } from '../../locking/lock-manager.js';
import { assertOptionsObject } from '../../locking/options-object.js';
import { shortList } from '../../locking/short-list.js';
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
 * Options of `FakeLockService`: those of the module, which it does not know, because it takes the place of its service.
 *
 * @publicApi
 */
export type FakeLockServiceOptions = Pick<LockModuleOptions, 'owner' | 'defaults'>;

/**
 * A lock service for unit tests, without ZooKeeper: every lock is granted at once, unless the test has set it busy or
 * unavailable. It provides no mutual exclusion, not even within one process. Everything else (results, errors, ttl, events,
 * `LockService.current()`) works as usual.
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
  /** By fencing token: nested holds have that of the outer one. */
  private readonly acquired = new Map<bigint, string>();

  /**
   * @param options those of the module that the code relies on
   * @throws LockConfigurationError listing every problem at once
   */
  constructor(@Optional() options: FakeLockServiceOptions = {}) {
    assertOptionsObject(options, 'FakeLockService takes an object of options');
    // A type with all options of the module fits as well.
    const {
      host: _host,
      port: _port,
      ...others
    } = withInherited<LockModuleOptions>(Object.keys(MODULE_OPTIONS), options);
    const { owner, defaults } = resolveModuleOptions({ ...others, connectString: 'fake' });
    const provider = new FakeLockProvider();
    const manager = new LockManager(provider, {
      defaults,
      owner,
      release: 'confirmed',
      connectTimeout: 1_000,
      slowWaitWarning: Infinity,
      lazy: true,
      drainTimeout: 0,
      // Tests fake the timers together with `Date`, and often without `performance`.
      clock: new SystemClock(() => Date.now()),
      warn: () => {},
    });
    super(manager);
    this.provider = provider;
    // A list of names that turns out to be busy has acquired none of them.
    manager.events.events$.subscribe((event) => {
      if (event.type === 'acquired') this.acquired.set(event.fencingToken, event.resource);
    });
    manager.lifecycle.open();
  }

  /** The locks held now, in the order of the grants. */
  get held(): readonly FakeHold[] {
    return [...this.provider.grants].map(({ resource, fencingToken }) => ({ resource, fencingToken }));
  }

  /** The resources that were acquired so far, in that order. */
  get granted(): readonly string[] {
    return [...this.acquired.values()];
  }

  /** From now on attempts to lock `resource` find it busy, or with `busy: false` free. */
  setBusy(resource: string, busy = true): void {
    if (busy) this.provider.busy.add(resource);
    else this.provider.busy.delete(resource);
  }

  /**
   * From now on attempts, and calls such as `inspect`, fail with `LockUnavailableError`, and `state` is `suspended`; with
   * `false` they succeed again. Locks that are held remain held: `lose` ends them.
   */
  setUnavailable(unavailable = true): void {
    this.provider.setContact(unavailable ? 'suspended' : 'connected');
  }

  /**
   * Loses the held locks of `resource`, as if the session had ended.
   *
   * @throws TypeError if there are none: the test would wait for a loss that never comes
   * @throws TypeError if one fails closed and the reason is `session`: it does not end with its session
   */
  lose(resource: string, reason: LossReason = 'session'): void {
    const lost = [...this.provider.grants].filter((grant) => grant.resource === resource);
    if (lost.length === 0) throw nothingToLose(resource, this.held);
    if (reason === 'session' && lost.some(({ failure }) => failure === 'closed')) throw failsClosed(resource);
    for (const grant of lost) grant.lose(reason);
  }
}

function failsClosed(resource: string): TypeError {
  return new TypeError(
    `lose(${quoted(resource)}) would lose a lock with failure: 'closed' as if its session had ended, which no such lock is. ` +
      "Give another reason, such as lose(name, 'deleted') for a lock that somebody has freed with forceRelease()",
  );
}

function nothingToLose(resource: string, held: readonly FakeHold[]): TypeError {
  const names = shortList(held.map((hold) => quoted(hold.resource)));
  return new TypeError(
    `lose(${quoted(resource)}) finds no lock with this name that is held; ${names === '' ? 'none is' : `held are: ${names}`}. ` +
      'Call it while the work under the lock runs',
  );
}

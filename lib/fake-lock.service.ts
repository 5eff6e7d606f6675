import { Injectable } from '@nestjs/common';
import { LockService } from './lock.service.js';
import { SystemClock } from './locking/clock.js';
import type { LossReason } from './locking/errors/lock-lost.error.js';
import { LockUnavailableError } from './locking/errors/lock-unavailable.error.js';
import { LockManager } from './locking/lock-manager.js';
import type {
  Busy,
  EnterRequest,
  Grant,
  GrantListener,
  LockProvider,
  LockProviderListener,
  LockSnapshot,
  Release,
} from './locking/lock-provider.interface.js';
import { assertEscapable } from './zookeeper/queue/lock-path.js';

/** A hold that a `FakeLockService` has granted. */
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
  private readonly provider: FakeProvider;

  constructor() {
    const provider = new FakeProvider();
    const manager = new LockManager(provider, {
      defaults: { wait: 0, ttl: 0 },
      owner: 'fake',
      release: 'confirmed',
      connectTimeout: 1_000,
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

class FakeProvider implements LockProvider {
  readonly grants = new Set<FakeGrant>();
  readonly granted: string[] = [];
  readonly busy = new Set<string>();
  unavailable = false;
  #lastToken = 0n;

  open(listener: LockProviderListener): void {
    listener.ready({ session: 'fake', server: 'fake', sessionTimeout: 20_000 });
  }

  async ready(): Promise<void> {}

  assertStorable(resource: string): void {
    assertEscapable(resource);
  }

  async enter({ resource }: EnterRequest): Promise<Grant | Busy> {
    if (this.unavailable) throw new LockUnavailableError(resource, 'the test says so');
    if (this.busy.has(resource)) return { busy: true, holder: undefined };
    const grant = new FakeGrant(resource, (this.#lastToken += 1n), () => this.grants.delete(grant));
    this.grants.add(grant);
    this.granted.push(resource);
    return grant;
  }

  async inspect(resource: string): Promise<LockSnapshot> {
    const grant = [...this.grants].find((candidate) => candidate.resource === resource);
    const holder = grant === undefined ? null : { owner: undefined, fencingToken: grant.fencingToken };
    return { resource, holder, waiters: [] };
  }

  async close(): Promise<void> {
    for (const grant of this.grants) grant.lose('shutdown');
  }
}

class FakeGrant implements Grant, FakeHold {
  readonly busy = false;
  #loss: LossReason | undefined;
  #listener: GrantListener | undefined;

  constructor(
    readonly resource: string,
    readonly fencingToken: bigint,
    private readonly ended: () => void,
  ) {}

  get deadline(): number {
    return this.#loss === undefined ? Infinity : -Infinity;
  }

  listen(listener: GrantListener): void {
    this.#listener = listener;
    if (this.#loss !== undefined) listener.lost(this.#loss);
  }

  lose(reason: LossReason): void {
    this.#loss = reason;
    this.#listener?.lost(reason);
    this.ended();
  }

  release(): Release {
    this.ended();
    const kept = Promise.resolve(this.#loss === undefined);
    return { sent: Promise.resolve(), confirmed: kept, freed: kept };
  }
}

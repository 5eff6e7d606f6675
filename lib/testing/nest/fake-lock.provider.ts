import type { Abort } from '../../locking/abort.js';
import { LockFairnessError } from '../../locking/errors/lock-fairness.error.js';
import { LockPermitsError } from '../../locking/errors/lock-permits.error.js';
import { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import type {
  Busy,
  EnterRequest,
  Grant,
  LockProvider,
  LockProviderListener,
  LockSnapshot,
  QueueMember,
} from '../../locking/lock-provider.interface.js';
import { cannotBeAsked } from '../../zookeeper/recipe/cannot-be-asked.js';
import { assertEscapable } from '../../zookeeper/recipe/lock-path.js';
import { FakeGrant } from './fake-grant.js';

const UNAVAILABLE = 'FakeLockService.setUnavailable() was called';
/** Real tokens are as large: kept as a `number`, they would not stay in order. */
const FIRST_TOKEN = 2n ** 53n;
/** Who has a lock that the test has set busy. */
const SOMEBODY: QueueMember = { owner: undefined, fencingToken: undefined, mode: 'exclusive' };
const CONNECTION = { session: 'fake', server: 'fake', sessionTimeout: 20_000 };

/** Grants every lock at once, unless the test has set it busy or unavailable. */
export class FakeLockProvider implements LockProvider {
  readonly storeName = 'the fake';
  readonly grants = new Set<FakeGrant>();
  readonly busy = new Set<string>();
  readonly #permits = new Map<string, number>();
  readonly #notes = new Map<string, string>();
  #listener: LockProviderListener | undefined;
  #contact: 'connected' | 'suspended' | 'closed' = 'connected';
  #nextToken = FIRST_TOKEN;

  open(listener: LockProviderListener): void {
    this.#listener = listener;
    listener.ready(CONNECTION);
  }

  setContact(contact: 'connected' | 'suspended'): void {
    if (this.#contact === 'closed' || this.#contact === contact) return;
    this.#contact = contact;
    if (contact === 'connected') this.#listener?.resumed(CONNECTION);
    else this.#listener?.suspended(new Error(UNAVAILABLE));
  }

  async ready(): Promise<void> {}

  assertStorable(resource: string): void {
    assertEscapable(resource);
  }

  inContact(): boolean {
    return true;
  }

  isUsable(): boolean {
    return this.#contact !== 'closed';
  }

  trouble(): undefined {}

  async enter(request: EnterRequest): Promise<Grant | Busy> {
    const { resource, permits } = request;
    this.#assertContact(resource);
    if (this.busy.has(resource)) return { busy: true, holder: undefined };
    this.#agreeOnFairness(request);
    if (permits !== undefined) this.#agreeOnPermits(resource, permits);
    const grant = new FakeGrant(request, this.#nextToken, this.#notes, () => this.grants.delete(grant));
    this.#nextToken += 1n;
    this.grants.add(grant);
    return grant;
  }

  async inspect(resource: string, abort?: Abort): Promise<LockSnapshot> {
    this.#assertContact(resource, abort);
    const held = this.#grantsOf(resource).map(memberOf);
    const holders = this.busy.has(resource) ? [SOMEBODY, ...held] : held;
    const permits = this.#permitsInUse(resource);
    return { resource, holder: holders[0] ?? null, holders, waiters: [], permits };
  }

  async setPermits(resource: string, permits: number, abort?: Abort): Promise<boolean> {
    this.#assertContact(resource, abort);
    if (this.#permitsInUse(resource) === undefined) return false;
    this.#permits.set(resource, permits);
    return true;
  }

  async forceRelease(resource: string, token: bigint, abort?: Abort): Promise<boolean> {
    this.#assertContact(resource, abort);
    const held = this.#grantsOf(resource).find(
      ({ fencingToken, failure }) => fencingToken === token && failure === 'closed',
    );
    held?.lose('deleted');
    return held !== undefined;
  }

  async requestRelease(resource: string, abort?: Abort): Promise<boolean> {
    this.#assertContact(resource, abort);
    const asked = this.#grantsOf(resource);
    if (asked.some(({ fair }) => !fair)) throw cannotBeAsked(resource);
    for (const grant of asked) grant.revoke();
    return asked.length > 0 || this.busy.has(resource);
  }

  async close(): Promise<void> {
    this.#contact = 'closed';
    for (const grant of this.grants) grant.lose('shutdown');
  }

  #assertContact(resource: string, abort?: Abort): void {
    abort?.throwIfAborted();
    if (this.#contact === 'suspended') throw new LockUnavailableError(resource, UNAVAILABLE);
  }

  #grantsOf(resource: string): FakeGrant[] {
    return [...this.grants].filter((grant) => grant.resource === resource);
  }

  #agreeOnFairness({ resource, fair }: EnterRequest): void {
    const other = this.#grantsOf(resource).find((grant) => grant.fair !== fair);
    if (other !== undefined) throw new LockFairnessError(resource, other.fair);
  }

  #agreeOnPermits(resource: string, wanted: number): void {
    const inUse = this.#permitsInUse(resource);
    if (inUse !== undefined && inUse !== wanted) throw new LockPermitsError(resource, { wanted, inUse });
    this.#permits.set(resource, wanted);
  }

  /** Forgotten when nobody holds the lock. */
  #permitsInUse(resource: string): number | undefined {
    const isInUse = this.#grantsOf(resource).some(({ mode }) => mode === 'semaphore');
    return isInUse ? this.#permits.get(resource) : undefined;
  }
}

function memberOf({ owner, fencingToken, mode, failure }: FakeGrant): QueueMember {
  const member = { owner, fencingToken, mode };
  return failure === 'closed' ? { ...member, failure } : member;
}

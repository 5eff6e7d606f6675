import type {
  Busy,
  EnterRequest,
  LockSnapshot,
  Others,
  Release,
  ShareableGrant,
  ShareableLockProvider,
} from '../../lib/locking/lock-provider.interface.js';
import { settled } from './fake-clock.js';
import { TestGrant } from './test-grant.js';

const TOKENS_OF_A_GRANT = 2_048n;

/** A place in the queue of the store. */
export class StorePlace {
  hasLeft = false;

  constructor(
    readonly request: EnterRequest,
    private readonly settle: { resolve(outcome: ShareableGrant | Busy): void; reject(error: unknown): void },
  ) {
    request.abort.onAbort((reason) => {
      this.hasLeft = true;
      settle.reject(reason);
    });
  }

  async queue(ahead: number, requeued = false): Promise<void> {
    this.request.onQueued({ requeued, ahead, holders: 1, inContact: () => true });
    await settled();
  }

  async grant(grant: StoreGrant): Promise<StoreGrant> {
    this.settle.resolve(grant);
    await settled();
    return grant;
  }

  async busy(waiters: number): Promise<void> {
    this.settle.resolve({ busy: true, holder: undefined, waiters });
    await settled();
  }

  async fail(error: unknown): Promise<void> {
    this.settle.reject(error);
    await settled();
  }
}

/** A grant of the store, whose queue a test controls. */
export class StoreGrant extends TestGrant implements ShareableGrant {
  readonly #number: bigint;
  #joined: (() => void) | undefined;
  #answer: ((others: Others) => void) | undefined;
  asked = 0;
  isSuspended = false;
  readonly passedOn: boolean[] = [];

  /**
   * @param tokens how many callers it is enough for
   * @param slow as of a `TestGrant`
   */
  constructor(
    number: number,
    private readonly tokens = Number(TOKENS_OF_A_GRANT),
    readonly behind = 0,
    slow = false,
  ) {
    super(BigInt(number) * TOKENS_OF_A_GRANT, slow);
    this.#number = BigInt(number);
  }

  override release(passOn = false): Release {
    this.passedOn.push(passOn);
    return super.release();
  }

  localToken(n: number): bigint | undefined {
    return n < this.tokens ? this.#number * TOKENS_OF_A_GRANT + BigInt(n) : undefined;
  }

  othersBehind(joined: () => void): Promise<Others> {
    this.asked += 1;
    this.#joined = joined;
    return new Promise((resolve) => (this.#answer = resolve));
  }

  async answer(others: Others): Promise<void> {
    this.#answer!(others);
    await settled();
  }

  /** Another process joins the queue. */
  async rivalJoins(): Promise<void> {
    this.#joined!();
    await settled();
  }
}

/** A store whose queue a test controls. */
export class ScriptedStore implements ShareableLockProvider {
  readonly storeName = 'Scripted';
  readonly places: StorePlace[] = [];
  isInContact = true;
  snapshot: LockSnapshot = { resource: 'order', holder: null, holders: [], waiters: [] };

  open(): void {}

  async ready(): Promise<void> {}

  assertStorable(): void {}

  inContact(): boolean {
    return this.isInContact;
  }

  isUsable(): boolean {
    return true;
  }

  trouble(): undefined {}

  enter(request: EnterRequest): Promise<ShareableGrant | Busy> {
    return new Promise((resolve, reject) => {
      this.places.push(new StorePlace(request, { resolve, reject }));
    });
  }

  async inspect(): Promise<LockSnapshot> {
    return this.snapshot;
  }

  async setPermits(): Promise<boolean> {
    return false;
  }

  async forceRelease(): Promise<boolean> {
    return false;
  }

  async requestRelease(): Promise<boolean> {
    return false;
  }

  async close(): Promise<void> {}
}

import type {
  Busy,
  ConnectionInfo,
  EnterRequest,
  Grant,
  LockProvider,
  LockProviderListener,
  LockQuestion,
  LockSnapshot,
  StoreTrouble,
} from '../../lib/locking/lock-provider.interface.js';
import { TestGrant } from './test-grant.js';

export const CONNECTION: ConnectionInfo = { session: '0x1', server: 'zk1:2181', sessionTimeout: 20_000 };

/** One call of `enter`, answered by a test. */
export class Attempt {
  /** Whether the store has answered recently. */
  inContact = true;

  constructor(
    readonly request: EnterRequest,
    private readonly answer: (outcome: Grant | Busy) => void,
    readonly fail: (error: unknown) => void,
  ) {}

  grant(grant = new TestGrant()): TestGrant {
    this.answer(grant);
    return grant;
  }

  busy(holder?: string): void {
    this.answer({ busy: true, holder });
  }

  /** Reports that the attempt is queued behind `owner`. */
  queue(ahead = 1, owner?: string, requeued = false): void {
    this.request.onQueued({ requeued, ahead, holders: 1, inContact: () => this.inContact });
    if (owner !== undefined) this.request.onPredecessor({ owner });
  }
}

/** A provider controlled by a test. Like every provider, it ends an attempt whose signal aborts. */
export class ScriptedProvider implements LockProvider {
  readonly storeName = 'Scripted';
  readonly attempts: Attempt[] = [];
  /** Why there is no contact. */
  reason: StoreTrouble | undefined;
  /** Whether it can ever grant a lock. */
  usable = true;
  /** Resources that are out of reach. */
  readonly cutOff = new Set<string>();
  /** Resources that callers of this process have. */
  readonly heldHere = new Set<string>();
  readonly calls: string[] = [];
  #listener: LockProviderListener | undefined;

  get listener(): LockProviderListener {
    return this.#listener!;
  }

  /** The last attempt. */
  get last(): Attempt {
    return this.attempts.at(-1)!;
  }

  open(listener: LockProviderListener): void {
    this.#listener = listener;
  }

  assertStorable(): void {}

  inContact(resource: string): boolean {
    return !this.cutOff.has(resource);
  }

  isHeldHere({ resource }: LockQuestion): boolean {
    return this.heldHere.has(resource);
  }

  isUsable(): boolean {
    return this.usable;
  }

  trouble(): StoreTrouble | undefined {
    return this.reason;
  }

  async ready(): Promise<void> {}

  enter(request: EnterRequest): Promise<Grant | Busy> {
    return new Promise((resolve, reject) => {
      request.abort.onAbort((reason) => reject(reason));
      this.attempts.push(new Attempt(request, resolve, reject));
    });
  }

  async inspect(resource: string): Promise<LockSnapshot> {
    return { resource, holder: null, holders: [], waiters: [] };
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

  async close(): Promise<void> {
    this.calls.push('close');
  }
}

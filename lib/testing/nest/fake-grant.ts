import { LockLostError, type LossReason } from '../../locking/errors/lock-lost.error.js';
import type {
  EnterRequest,
  Grant,
  GrantListener,
  LockFailure,
  LockMode,
  Note,
  OwnerRecord,
  Release,
} from '../../locking/lock-provider.interface.js';

/** A grant of a `FakeLockProvider`. It ends when it is released, or when the test says so. */
export class FakeGrant implements Grant {
  readonly busy = false;
  readonly resource: string;
  readonly owner: OwnerRecord;
  readonly mode: LockMode;
  readonly failure: LockFailure;
  readonly fair: boolean;
  readonly note: Note = {
    read: async () => {
      this.#assertHeld();
      return this.notes.get(this.resource);
    },
    write: async (text) => {
      this.#assertHeld();
      this.notes.set(this.resource, text);
    },
  };
  #loss: LossReason | undefined;
  #listener: GrantListener | undefined;

  constructor(
    { resource, owner, mode, failure, fair }: EnterRequest,
    readonly fencingToken: bigint,
    private readonly notes: Map<string, string>,
    private readonly ended: () => void,
  ) {
    this.resource = resource;
    this.owner = owner;
    this.mode = mode;
    this.failure = failure;
    this.fair = fair;
  }

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

  revoke(): void {
    this.#listener?.revokeRequested();
  }

  release(): Release {
    this.ended();
    const kept = Promise.resolve(this.#loss === undefined);
    return { sent: Promise.resolve(), confirmed: kept, freed: kept };
  }

  #assertHeld(): void {
    if (this.#loss !== undefined) throw new LockLostError(this.resource, this.#loss);
  }
}

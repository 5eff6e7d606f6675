import type { LossReason } from './errors/lock-lost.error.js';
import type { HeldLock } from './held-lock.interface.js';
import type { HoldClock } from './hold-clock.js';
import type { LockEvents } from './lock-events.js';

/** The fields that identify a hold in events. */
type HoldName = Pick<HeldLock, 'resource' | 'owner' | 'purpose' | 'fencingToken'>;

type NewHoldEvent =
  | { type: 'released' | 'ttlExpired' | 'revokeRequested' }
  | { type: 'ttlWarning'; remainingMs: number }
  | { type: 'lost'; reason: LossReason; error: Error };

/** The events of one hold. */
export class HoldEvents {
  readonly #name: HoldName;

  constructor(
    { resource, owner, purpose, fencingToken }: HoldName,
    private readonly events: LockEvents,
    private readonly clock: HoldClock,
  ) {
    this.#name = { resource, owner, purpose, fencingToken };
  }

  emit(what: NewHoldEvent): void {
    this.events.emit({ ...what, ...this.#name, heldMs: this.clock.heldMs });
  }

  workRejected(error: unknown): void {
    this.events.emit({ type: 'workRejected', ...this.#name, error });
  }
}

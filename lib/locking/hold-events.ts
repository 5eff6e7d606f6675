import type { LossReason } from './errors/lock-lost.error.js';
import type { HeldLock } from './held-lock.interface.js';
import type { HoldClock } from './hold-clock.js';
import type { EventSink } from './lock-events.js';

/** The fields that identify a hold in events. */
type HoldName = Pick<HeldLock, 'resource' | 'owner' | 'mode' | 'purpose' | 'fencingToken'>;

/** The events of one hold. Their fields are written out: spreading parts into an event costs several times as much. */
export class HoldEvents {
  constructor(
    private readonly hold: HoldName,
    private readonly events: EventSink,
    private readonly clock: HoldClock,
  ) {}

  emit(type: 'released' | 'ttlExpired' | 'revokeRequested'): void {
    if (type === 'released' && !this.events.hearsRoutine) return;
    const { resource, owner, mode, purpose, fencingToken } = this.hold;
    this.events.emit({ type, resource, owner, mode, purpose, fencingToken, heldMs: this.clock.heldMs });
  }

  extended(ttl: number): void {
    const { resource, owner, mode, purpose, fencingToken } = this.hold;
    const { heldMs } = this.clock;
    this.events.emit({ type: 'extended', ttl, resource, owner, mode, purpose, fencingToken, heldMs });
  }

  ttlWarning(remainingMs: number): void {
    const { resource, owner, mode, purpose, fencingToken } = this.hold;
    const { heldMs } = this.clock;
    this.events.emit({
      type: 'ttlWarning',
      remainingMs,
      resource,
      owner,
      mode,
      purpose,
      fencingToken,
      heldMs,
    });
  }

  lost(reason: LossReason, error: Error): void {
    const { resource, owner, mode, purpose, fencingToken } = this.hold;
    const { heldMs } = this.clock;
    this.events.emit({ type: 'lost', reason, error, resource, owner, mode, purpose, fencingToken, heldMs });
  }

  workRejected(error: unknown): void {
    const { resource, owner, mode, purpose, fencingToken } = this.hold;
    this.events.emit({ type: 'workRejected', resource, owner, mode, purpose, fencingToken, error });
  }
}

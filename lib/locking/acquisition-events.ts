import type { Clock } from './clock.js';
import type { EventSink } from './lock-events.js';
import type { ResolvedLockOptions } from './lock-options.js';

/** How an acquisition can end without a grant, as events name it. */
export type AcquisitionFailure = 'busy' | 'timedOut' | 'aborted' | 'failed';

/** The events of one acquisition. */
export class AcquisitionEvents {
  constructor(
    private readonly resource: string,
    private readonly options: Pick<ResolvedLockOptions, 'owner' | 'purpose' | 'mode'>,
    private readonly context: { readonly clock: Clock; readonly events: EventSink },
    /** `Clock.monotonic()` stamp, ms. */
    readonly startedAt: number,
  ) {}

  waiting(requeued: boolean, ahead: number): void {
    if (!this.context.events.hearsRoutine) return;
    const { resource, options } = this;
    const { owner, mode, purpose } = options;
    this.context.events.emit({ type: 'waiting', resource, owner, mode, purpose, requeued, ahead });
  }

  acquired(fencingToken: bigint): void {
    if (!this.context.events.hearsRoutine) return;
    const { resource, options } = this;
    const { owner, mode, purpose } = options;
    this.context.events.emit({
      type: 'acquired',
      resource,
      owner,
      mode,
      purpose,
      waitedMs: this.#waitedMs,
      fencingToken,
    });
  }

  ended(failure: AcquisitionFailure, error: unknown): void {
    const { resource, options } = this;
    const { owner, mode, purpose } = options;
    const end = { resource, owner, mode, purpose, waitedMs: this.#waitedMs };
    if (failure === 'aborted') this.context.events.emit({ type: failure, ...end, reason: error });
    else if (failure === 'failed') this.context.events.emit({ type: failure, ...end, error });
    else this.context.events.emit({ type: failure, ...end });
  }

  get #waitedMs(): number {
    return this.context.clock.monotonic() - this.startedAt;
  }
}

import type { Clock } from './clock.js';
import type { LockEvents } from './lock-events.js';
import type { ResolvedLockOptions } from './lock-options.js';

/** How an acquisition can end without a grant, as events name it. */
export type AcquisitionFailure = 'busy' | 'timedOut' | 'aborted' | 'failed';

/** The events of one acquisition. */
export class AcquisitionEvents {
  /** `Clock.monotonic()` stamp, ms. */
  readonly startedAt: number;

  constructor(
    private readonly resource: string,
    private readonly options: Pick<ResolvedLockOptions, 'owner' | 'purpose'>,
    private readonly context: { readonly clock: Clock; readonly events: LockEvents },
  ) {
    this.startedAt = context.clock.monotonic();
  }

  waiting(requeued: boolean, ahead: number): void {
    this.context.events.emit({ type: 'waiting', ...this.#name, requeued, ahead });
  }

  acquired(fencingToken: bigint): void {
    this.context.events.emit({ type: 'acquired', ...this.#name, ...this.#waited, fencingToken });
  }

  ended(failure: AcquisitionFailure, error: unknown): void {
    const end = { ...this.#name, ...this.#waited };
    if (failure === 'aborted') this.context.events.emit({ type: failure, ...end, reason: error });
    else if (failure === 'failed') this.context.events.emit({ type: failure, ...end, error });
    else this.context.events.emit({ type: failure, ...end });
  }

  get #name(): { resource: string; owner: string; purpose: string | undefined } {
    const { owner, purpose } = this.options;
    return { resource: this.resource, owner, purpose };
  }

  get #waited(): { waitedMs: number } {
    return { waitedMs: this.context.clock.monotonic() - this.startedAt };
  }
}

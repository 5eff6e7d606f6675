import { AcquisitionEvents, type AcquisitionFailure } from '../acquisition-events.js';
import type { Clock } from '../clock.js';
import type { EventSink, NewLockEvent } from '../lock-events.js';
import type { ResolvedLockOptions } from '../lock-options.js';

const ENDS: ReadonlySet<string> = new Set(['acquired', 'busy', 'timedOut', 'aborted', 'failed']);

/**
 * The events of one of several locks, however often the call starts again. A wait that has been told has one end: it goes on
 * when the call asks for the lock again, and when the call fails before, it ends as that.
 */
export class MemberEvents implements EventSink {
  readonly hearsRoutine = true;
  #isWaiting = false;

  constructor(
    private readonly resource: string,
    private readonly options: ResolvedLockOptions,
    private readonly context: { readonly clock: Clock; readonly events: EventSink },
    /** `Clock.monotonic()` stamp, ms. */
    private readonly startedAt: number,
  ) {}

  emit(event: NewLockEvent): void {
    const isRequeued = event.type === 'waiting' && this.#isWaiting;
    if (event.type === 'waiting') this.#isWaiting = true;
    else if (ENDS.has(event.type)) this.#isWaiting = false;
    this.context.events.emit(isRequeued ? { ...event, requeued: true } : event);
  }

  /** The call has failed, perhaps because of another lock. */
  ended(failure: AcquisitionFailure, error: unknown): void {
    if (!this.#isWaiting) return;
    new AcquisitionEvents(
      this.resource,
      this.options,
      { ...this.context, events: this },
      this.startedAt,
    ).ended(failure, error);
  }
}

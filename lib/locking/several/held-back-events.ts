import type { EventSink, NewLockEvent } from '../lock-events.js';

/** The events of an attempt that may turn out not to count: kept until it does, and forgotten if it never does. */
export class HeldBackEvents implements EventSink {
  readonly hearsRoutine = true;
  #kept: NewLockEvent[] | undefined = [];

  /** @param waiting called when the attempt has to wait */
  constructor(
    private readonly sink: EventSink,
    private readonly waiting: () => void,
  ) {}

  emit(event: NewLockEvent): void {
    if (this.#kept === undefined) this.sink.emit(event);
    else this.#kept.push(event);
    if (event.type === 'waiting') this.waiting();
  }

  /** The attempt counts: emits what has been kept, and everything else at once from now on. */
  tell(): void {
    // A subscriber may cause another event.
    for (let event = this.#kept?.shift(); event !== undefined; event = this.#kept?.shift())
      this.sink.emit(event);
    this.#kept = undefined;
  }
}

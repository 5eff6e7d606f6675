import type { ChaosHold } from './chaos-locks.interface.js';
import type { WorkerJournal } from './worker-journal.js';

const CHECK_INTERVAL_MS = 15;

/** Checks `isHeld()` of a hold until its work ends, and records the results. */
export class HoldWatch {
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly attempt: string,
    private readonly hold: ChaosHold,
    private readonly journal: WorkerJournal,
  ) {
    const { fencingToken: token, signal } = hold;
    journal.writeHeld(
      () => hold.isHeld(),
      (held) => ({ what: 'granted', attempt, token, held }),
    );
    if (signal.aborted) this.#signalled();
    else signal.addEventListener('abort', () => this.#signalled(), { once: true });
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS);
  }

  /** Checks the hold with `assertHeld()`. */
  assert(): void {
    const { attempt, hold } = this;
    this.journal.writeHeld(
      () => isAsserted(hold),
      (held) => ({ what: 'checked', attempt, held }),
    );
  }

  /** Records the end of the work. True if the hold is still valid. */
  end(): boolean {
    clearInterval(this.#timer);
    const { attempt } = this;
    return this.journal.writeHeld(
      () => this.hold.isHeld(),
      (held) => ({ what: 'releasing', attempt, held }),
    );
  }

  #check(): void {
    const { attempt } = this;
    this.journal.writeHeld(
      () => this.hold.isHeld(),
      (held) => ({ what: 'checked', attempt, held }),
    );
  }

  #signalled(): void {
    const reason: unknown = this.hold.signal.reason;
    const detail = reason instanceof Error ? reason.message : String(reason);
    this.journal.write({ what: 'signalled', attempt: this.attempt, detail });
  }
}

function isAsserted(hold: ChaosHold): boolean {
  try {
    hold.assertHeld();
    return true;
  } catch {
    return false;
  }
}

import type { ChaosHold } from './chaos-locks.interface.js';
import type { WorkerJournal } from './worker-journal.js';

const LOOK_INTERVAL_MS = 15;

/** Keeps looking at a hold until its work ends: it is only known to be valid where `isHeld()` was seen true. */
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
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS);
  }

  /** A look by the other method, which throws. */
  assert(): void {
    const { attempt, hold } = this;
    this.journal.writeHeld(
      () => isAsserted(hold),
      (held) => ({ what: 'looked', attempt, held }),
    );
  }

  /** The work is over; true if the hold is still valid. */
  end(): boolean {
    clearInterval(this.#timer);
    const { attempt } = this;
    return this.journal.writeHeld(
      () => this.hold.isHeld(),
      (held) => ({ what: 'releasing', attempt, held }),
    );
  }

  #look(): void {
    const { attempt } = this;
    this.journal.writeHeld(
      () => this.hold.isHeld(),
      (held) => ({ what: 'looked', attempt, held }),
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

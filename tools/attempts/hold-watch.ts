import type { Timer } from '../../lib/locking/clock.js';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import type { AttemptContext } from './attempt-context.interface.js';
import type { TestedHold } from './tested-locks.interface.js';

/** Checks `isHeld()` of a hold until its work ends, and records the results. */
export class HoldWatch {
  #timer: Timer | undefined;

  /** @param signal of all locks that are held together with it */
  constructor(
    private readonly attempt: string,
    private readonly hold: TestedHold,
    private readonly signal: AbortSignal,
    private readonly context: Pick<AttemptContext, 'journal' | 'clock' | 'checkInterval'>,
  ) {
    const { fencingToken: token } = hold;
    context.journal.writeHeld(
      () => hold.isHeld(),
      (held) => ({ what: 'granted', attempt, token, held }),
    );
    if (signal.aborted) this.#signalled();
    else signal.addEventListener('abort', () => this.#signalled(), { once: true });
    this.#checkLater();
  }

  /** Checks the hold with `assertHeld()`. */
  assert(): void {
    const { attempt, hold } = this;
    this.context.journal.writeHeld(
      () => isAsserted(hold),
      (held) => ({ what: 'checked', attempt, held }),
    );
  }

  /** Gives the hold a new ttl, if it is still valid. */
  extend(ttl: number): void {
    const { attempt, hold } = this;
    const { journal } = this.context;
    const isHeld = journal.writeHeld(
      () => isExtended(hold, ttl),
      (held) => ({ what: 'extending', attempt, ttl, held }),
    );
    if (isHeld) journal.write({ what: 'extended', attempt });
  }

  /** Records the end of the work. True if the hold is still valid. */
  end(): boolean {
    this.#timer?.cancel();
    const { attempt } = this;
    return this.context.journal.writeHeld(
      () => this.hold.isHeld(),
      (held) => ({ what: 'releasing', attempt, held }),
    );
  }

  /** Records that the hold is valid after its release has returned, which it never may be. */
  afterRelease(): void {
    const { attempt, hold } = this;
    if (hold.isHeld()) this.context.journal.write({ what: 'checked', attempt, held: true });
  }

  #checkLater(): void {
    const { clock, checkInterval } = this.context;
    if (checkInterval !== undefined) this.#timer = clock.setTimer(() => this.#check(), checkInterval, true);
  }

  #check(): void {
    const { attempt } = this;
    this.context.journal.writeHeld(
      () => this.hold.isHeld(),
      (held) => ({ what: 'checked', attempt, held }),
    );
    this.#checkLater();
  }

  #signalled(): void {
    const reason: unknown = this.signal.reason;
    const detail = reason instanceof Error ? reason.message : String(reason);
    this.context.journal.write({ what: 'signalled', attempt: this.attempt, detail });
  }
}

function isExtended(hold: TestedHold, ttl: number): boolean {
  try {
    hold.extend(ttl);
    return true;
  } catch (error) {
    if (error instanceof LockLostError) return false;
    throw error;
  }
}

function isAsserted(hold: TestedHold): boolean {
  try {
    hold.assertHeld();
    return true;
  } catch {
    return false;
  }
}

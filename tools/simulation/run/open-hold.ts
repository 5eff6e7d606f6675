import { withoutMicrotasks } from './without-microtasks.js';

/** A hold whose work has not ended. */
export class OpenHold {
  /** The time of the last check that found it valid, unless that is recorded already. */
  #lastValid: number | undefined;
  #held: boolean;

  /**
   * @param now the time as the process sees it, ms
   * @param record records the result of a check
   */
  constructor(
    readonly attempt: string,
    readonly actor: string,
    held: boolean,
    private readonly isHeld: () => boolean,
    private readonly now: () => number,
    private readonly record: (at: number, held: boolean) => void,
  ) {
    this.#held = held;
  }

  isValid(): boolean {
    return withoutMicrotasks(this.isHeld);
  }

  /** Of many checks that find the hold valid, only the last is recorded: when it no longer is, or when the hold ends. */
  check(): void {
    const at = this.now();
    const held = this.isValid();
    if (held) this.#lastValid = at;
    else if (this.#held) {
      this.recordLastValid();
      this.record(at, false);
    }
    this.#held = held;
  }

  recordLastValid(): void {
    if (this.#lastValid === undefined) return;
    this.record(this.#lastValid, true);
    this.#lastValid = undefined;
  }
}

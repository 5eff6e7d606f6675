/** One thing to do; a promise holds up everything behind it. */
export type Step = () => void | Promise<void> | undefined;

/** Does one thing after the other, at once where nothing is held up: the order of a TCP stream. */
export class Lane {
  #steps: Step[] = [];
  #busy = false;

  add(step: Step): void {
    this.#steps.push(step);
    this.#run();
  }

  /** Forgets what has not been done yet. */
  clear(): void {
    this.#steps = [];
  }

  #run(): void {
    while (!this.#busy && this.#steps.length > 0) {
      this.#busy = true;
      const held = this.#steps.shift()!();
      if (held) void held.then(() => this.#continue());
      else this.#busy = false;
    }
  }

  #continue(): void {
    this.#busy = false;
    this.#run();
  }
}

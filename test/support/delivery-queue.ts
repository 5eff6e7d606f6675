/** A step of the queue. If it returns a promise, the later steps wait for it. */
export type Step = () => void | Promise<void> | undefined;

/** Runs steps in order, each as soon as the one before it has finished: the order of a TCP stream. */
export class DeliveryQueue {
  #steps: Step[] = [];
  #busy = false;

  add(step: Step): void {
    this.#steps.push(step);
    this.#run();
  }

  /** Removes the steps that have not run yet. */
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

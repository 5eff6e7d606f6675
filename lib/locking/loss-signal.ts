import type { LockLostError } from './errors/lock-lost.error.js';

/** Why a hold was lost, if it was, and the signal for its work. The signal is created on demand: most work uses none. */
export class LossSignal {
  #controller: AbortController | undefined;
  #loss: LockLostError | undefined;

  get loss(): LockLostError | undefined {
    return this.#loss;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#loss !== undefined) this.#controller.abort(this.#loss);
    }
    return this.#controller.signal;
  }

  abort(loss: LockLostError): void {
    this.#loss = loss;
    this.#controller?.abort(loss);
  }
}

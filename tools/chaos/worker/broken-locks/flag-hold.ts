import { LockLostError } from '../../../../lib/locking/errors/lock-lost.error.js';
import type { TestedHold } from '../../../attempts/tested-locks.interface.js';

/** The hold of a naive lock: a flag that ignores the clock. */
export class FlagHold implements TestedHold {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #held = true;

  constructor(
    readonly resource: string,
    readonly fencingToken: bigint,
    ttl: number,
    private readonly unlock: () => Promise<void>,
  ) {
    this.#expireAfter(ttl);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  isHeld(): boolean {
    return this.#held;
  }

  assertHeld(): void {
    if (!this.#held) throw new Error('The lock is not held.');
  }

  extend(ttl: number): void {
    if (!this.#held) throw new LockLostError(this.resource, 'released');
    this.#expireAfter(ttl);
  }

  async release(): Promise<boolean> {
    const kept = this.#held;
    this.#held = false;
    clearTimeout(this.#timer);
    await this.unlock();
    return kept;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  lose(reason: string): void {
    if (!this.#held) return;
    this.#held = false;
    clearTimeout(this.#timer);
    this.#controller.abort(new Error(reason));
  }

  #expireAfter(ttl: number): void {
    clearTimeout(this.#timer);
    if (ttl > 0) this.#timer = setTimeout(() => this.#expire(), ttl);
  }

  #expire(): void {
    this.lose('ttl');
    void this.unlock();
  }
}

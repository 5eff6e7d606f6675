import type { Abort } from '../../locking/abort.js';
import type { Withdraw } from './pending-request.js';

export interface BoundedRequest<T> {
  readonly abort?: Abort;
  /** Sends the request, now or later. */
  readonly send: (resolve: (value: T) => void, reject: (reason: unknown) => void) => Withdraw;
  /** The abort ended the wait. The reply, if the request was sent and it comes, is ignored. */
  readonly gaveUp?: (wasSent: boolean) => void;
}

/** The promise of one request, ended early by an abort. Whatever ends it, no listener stays behind (H47). */
export function boundedRequest<T>(request: BoundedRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => new ReplyWait(request, resolve, reject).start());
}

/** The wait for the reply to one request: it ends with the reply or the abort, whichever is first. */
class ReplyWait<T> {
  #settled = false;
  #stopListening: (() => void) | undefined;
  #withdraw: Withdraw = () => false;

  constructor(
    private readonly request: BoundedRequest<T>,
    private readonly resolve: (value: T) => void,
    private readonly reject: (reason: unknown) => void,
  ) {}

  /** Throws if the wait is over before it begins. */
  start(): void {
    const { abort } = this.request;
    abort?.throwIfAborted();
    this.#stopListening = abort?.onAbort((reason) => this.#giveUp(reason));
    this.#withdraw = this.request.send(
      (value) => this.#settle(this.resolve, value),
      (reason) => this.#settle(this.reject, reason),
    );
  }

  #giveUp(reason: unknown): void {
    if (this.#settled) return;
    const wasSent = this.#withdraw();
    this.request.gaveUp?.(wasSent);
    this.#settle(this.reject, reason);
  }

  #settle<V>(outcome: (value: V) => void, value: V): void {
    this.#settled = true;
    this.#stopListening?.();
    outcome(value);
  }
}

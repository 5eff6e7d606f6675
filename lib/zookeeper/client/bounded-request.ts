import type { Clock, Timer } from '../../locking/clock.js';
import type { Withdraw } from './pending-request.js';
import type { RequestBounds } from './zookeeper-client.interface.js';
import { ZooKeeperError } from './zookeeper-error.js';

/** Timers of Node fire at once beyond this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface BoundedRequest<T> {
  readonly clock: Clock;
  readonly bounds: RequestBounds;
  readonly path?: string;
  /** Sends the request, now or later. */
  readonly send: (resolve: (value: T) => void, reject: (reason: unknown) => void) => Withdraw;
  /** The bounds ended the wait. The reply, if the request was sent and it comes, is ignored. */
  readonly gaveUp?: (wasSent: boolean) => void;
}

/**
 * The promise of one request, ended early by its deadline or an abort. Whatever ends it, no timer and no listener stay
 * behind (H47).
 */
export function boundedRequest<T>(request: BoundedRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => new ReplyWait(request, resolve, reject).start());
}

/** The wait for the reply to one request: it ends with the reply, the deadline or the abort, whichever is first. */
class ReplyWait<T> {
  #settled = false;
  #timer: Timer | undefined;
  #stopListening: (() => void) | undefined;
  #withdraw: Withdraw = () => false;

  constructor(
    private readonly request: BoundedRequest<T>,
    private readonly resolve: (value: T) => void,
    private readonly reject: (reason: unknown) => void,
  ) {}

  /** Throws if the wait is over before it begins. */
  start(): void {
    const { abort } = this.request.bounds;
    abort?.throwIfAborted();
    if (this.#left <= 0) throw this.#late(false);
    if (this.#left !== Infinity) this.#watchDeadline();
    this.#stopListening = abort?.onAbort((reason) => this.#giveUp(() => reason));
    this.#withdraw = this.request.send(
      (value) => this.#settle(this.resolve, value),
      (reason) => this.#settle(this.reject, reason),
    );
  }

  /** Until the deadline, ms. */
  get #left(): number {
    const { clock, bounds } = this.request;
    return bounds.deadline === undefined ? Infinity : bounds.deadline - clock.monotonic();
  }

  #watchDeadline(): void {
    const { clock } = this.request;
    const left = this.#left;
    if (left > 0) this.#timer = clock.setTimer(() => this.#watchDeadline(), Math.min(left, MAX_TIMER_MS));
    // After a stall of the event loop its timers come before the sockets: the reply may be there already (H41).
    else clock.nextTurn(() => this.#giveUp((wasSent) => this.#late(wasSent)));
  }

  #giveUp(reason: (wasSent: boolean) => unknown): void {
    if (this.#settled) return;
    const wasSent = this.#withdraw();
    this.request.gaveUp?.(wasSent);
    this.#settle(this.reject, reason(wasSent));
  }

  #settle<V>(outcome: (value: V) => void, value: V): void {
    this.#settled = true;
    this.#timer?.cancel();
    this.#stopListening?.();
    outcome(value);
  }

  #late(mayHaveBeenApplied: boolean): ZooKeeperError {
    const { path } = this.request;
    return new ZooKeeperError('OPERATION_TIMEOUT', 'No reply in time', { path, mayHaveBeenApplied });
  }
}

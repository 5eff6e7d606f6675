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
export function boundedRequest<T>({ clock, bounds, path, send, gaveUp }: BoundedRequest<T>): Promise<T> {
  const { deadline = Infinity, abort } = bounds;
  const late = (mayHaveBeenApplied: boolean): ZooKeeperError =>
    new ZooKeeperError('OPERATION_TIMEOUT', 'No reply in time', { path, mayHaveBeenApplied });

  return new Promise((resolve, reject) => {
    abort?.throwIfAborted();
    if (deadline <= clock.monotonic()) throw late(false);

    let settled = false;
    let timer: Timer | undefined;
    let withdraw: Withdraw = () => false;
    let stopListening: (() => void) | undefined;
    const settle = <V>(outcome: (value: V) => void, value: V): void => {
      settled = true;
      timer?.cancel();
      stopListening?.();
      outcome(value);
    };
    const giveUp = (reason: (wasSent: boolean) => unknown): void => {
      if (settled) return;
      const wasSent = withdraw();
      gaveUp?.(wasSent);
      settle(reject, reason(wasSent));
    };
    const watchDeadline = (): void => {
      const left = deadline - clock.monotonic();
      if (left > 0) timer = clock.setTimer(watchDeadline, Math.min(left, MAX_TIMER_MS));
      // After a stall of the event loop its timers come before the sockets: the reply may be there already (H41).
      else clock.nextTurn(() => giveUp(late));
    };

    if (deadline !== Infinity) watchDeadline();
    stopListening = abort?.onAbort((reason) => giveUp(() => reason));
    withdraw = send(
      (value) => settle(resolve, value),
      (reason) => settle(reject, reason),
    );
  });
}

import type { LockOptions } from '../locking/lock-options.js';

/**
 * Options of `@Locked`: those of an acquisition, and what only a method needs.
 *
 * @publicApi
 */
export interface LockedOptions extends Omit<LockOptions, 'signal'> {
  /**
   * What a call does when the lock is busy or `wait` has passed: `throw` a `LockBusyError` or `LockTimeoutError`, or
   * `skip` the method, so that the call yields `undefined`, an empty Observable or an ended generator. An HTTP route
   * that is skipped is answered like a handler that returns `undefined`, also if it returns an Observable.
   *
   * @default 'throw'
   */
  readonly onBusy?: 'throw' | 'skip';
  /** Name of the lock service, as given to `LockModule.forRoot({ name })`. */
  readonly service?: string;
  /**
   * Accept a name that looks like a mistake: a text in which `{id}`, `${id}` or `/:id` stands for itself, and a key
   * function's result that contains `${...}`, or in which a segment reads `undefined`, `null`, `NaN` or `[object X]`.
   *
   * @default false
   */
  readonly allowLiteral?: boolean;
}

import type { Abort } from '../abort.js';
import type { Clock } from '../clock.js';
import { outsideHolds } from '../current-lock.js';
import { LockClosedError } from '../errors/lock-closed.error.js';
import { LockConfigurationError } from '../errors/lock-configuration.error.js';
import { LockFairnessError } from '../errors/lock-fairness.error.js';
import { LockLostError } from '../errors/lock-lost.error.js';
import type { LockErrorCode } from '../errors/lock.error.js';
import { LockUnavailableError } from '../errors/lock-unavailable.error.js';
import { escapeControls } from '../escape-controls.js';
import type { Hold } from '../hold.js';
import { LazyAbort } from '../lazy-abort.js';
import { isBusyError } from '../is-busy-error.js';
import { isDueTo } from '../is-due-to.js';
import { pause } from '../pause.js';
import { isStream } from '../stream-result.js';
import { DoublingPause } from './doubling-pause.js';
import type { Leading } from './leadership.interface.js';

export interface CampaignContext {
  readonly clock: Clock;
  readonly resource: string;
  /** Aborts when the service begins to close. */
  readonly closing: Abort;
  /** False if no lock will be granted any more. */
  isUsable(): boolean;
  /** Waits for the lock of the leader, for as long as it takes. Rejects with the reason of `abort`. */
  acquire(abort: Abort): Promise<Hold>;
  /** Logs a warning for operators. Never throws. */
  warn(message: string): void;
}

/** What a replica does when it leads. */
export interface LeaderWork {
  /** Called at the start of every leadership. Should stop when `leading.signal` aborts: this replica queues again only then. */
  lead(leading: Leading): unknown;
  /**
   * `lead` has failed, or the lock is in use with another value of `fair`. Another replica may lead meanwhile, and this one
   * queues again after a pause.
   */
  failed(error: unknown): void;
}

/**
 * A replica that wants to lead: waits for the lock, works for as long as it holds it, and queues again after a loss. It
 * never has two leaderships at a time, even if its work does not stop.
 */
export class Campaign {
  readonly #end = new LazyAbort<Error>();
  /** Apart from each other: an outage says nothing about the work. */
  readonly #withoutContact = new DoublingPause(5_000);
  readonly #afterFailure = new DoublingPause(30_000);
  /** The code of the error of the last warning; undefined since the last election. */
  #warnedOf: LockErrorCode | undefined;

  constructor(
    private readonly context: CampaignContext,
    private readonly work: LeaderWork,
  ) {}

  /**
   * Resolves after `end`, when it has given up the lock.
   *
   * @throws LockError if the replica can never lead
   */
  run(): Promise<void> {
    // A candidate outlives the code that has made it (H64).
    return outsideHolds(() => this.#run());
  }

  async #run(): Promise<void> {
    const { closing, resource } = this.context;
    const stopListening = closing.onAbort(() => this.end(new LockClosedError(resource)));
    try {
      while (!this.#end.aborted) {
        const held = await this.#elected();
        if (held === undefined) await this.#pause(this.#withoutContact);
        else if (!(await this.#lead(held))) await this.#pause(this.#afterFailure);
      }
    } finally {
      stopListening();
    }
  }

  /** Ends the wait with this reason. A leadership ends because its lock is released, or because the service closes. */
  end(reason: Error): void {
    this.#end.abort(reason);
  }

  /**
   * Undefined if the next try may succeed: without contact, while the lock is in use in another way, or in tests with a fake
   * store, in which nobody waits for a lock.
   */
  async #elected(): Promise<Hold | undefined> {
    try {
      const held = await this.context.acquire(this.#end);
      this.#withoutContact.reset();
      this.#warnedOf = undefined;
      return held;
    } catch (error) {
      if (this.#end.aborted) return undefined;
      // A mistake somewhere else, and perhaps one of a single call.
      if (error instanceof LockFairnessError) this.#failed(error);
      else if (!this.context.isUsable()) throw error;
      // The chroot may be missing, or replicas may have another list of ensembles: both can be fixed, like a missing permission.
      else if (error instanceof LockUnavailableError || error instanceof LockConfigurationError)
        this.#warnOnce(error);
      else if (!isBusyError(error)) throw error;
      return undefined;
    }
  }

  /** An outage may be one of this lock alone, such as a lock path that refuses the session. */
  #warnOnce(error: LockUnavailableError | LockConfigurationError): void {
    if (this.#warnedOf === error.code) return;
    this.#warnedOf = error.code;
    this.context.warn(
      `A candidate for '${escapeControls(this.context.resource)}' ${waits(error)}: ${error.message}`,
    );
  }

  /** Works until the leadership ends; false if the work has ended it: it has failed, or released the lock. */
  async #lead(held: Hold): Promise<boolean> {
    const { resource } = this.context;
    const over = new LazyAbort<Error>();
    const released = new LockLostError(resource, 'released');
    const since = this.context.clock.monotonic();
    over.onAbort(() => this.#noteDuration(this.context.clock.monotonic() - since));
    const stopListening = [
      held.onLost((loss) => over.abort(loss)),
      this.#end.onAbort((reason) =>
        over.abort(
          reason instanceof LockClosedError
            ? new LockClosedError(resource, 'kept')
            : new LockLostError(resource, 'released'),
        ),
      ),
    ];
    // Its code can reach the lock, and steps down with it.
    held.onEnding(() => over.abort(released));
    try {
      const { fencingToken } = held;
      const leading = { leader: true, fencingToken, signal: over.signal } as const;
      // Asked now, because the event loop may have stalled since the grant (H41): a lock that is over ends the leadership.
      if (held.isHeld() && !over.aborted) await held.run(() => this.#work(leading));
      await new Promise((resolve) => over.onAbort(resolve));
      return over.reason !== released;
    } catch (error) {
      if (over.reason === undefined || !isDueTo(over.reason, error)) this.#failed(error);
      return over.aborted && over.reason !== released;
    } finally {
      for (const stop of stopListening) stop();
      // Failed work may have left something running: its signal aborts before the lock is free.
      await held.release();
    }
  }

  async #work(leading: Leading): Promise<void> {
    const result = await this.work.lead(leading);
    if (!isStream(result)) return;
    throw new LockConfigurationError(
      `The leader of '${escapeControls(this.context.resource)}' returned an Observable or an async generator, which nobody would ` +
        'consume. Consume it in the method until `signal` aborts, for example with `for await`, or with lastValueFrom() and takeUntil()',
    );
  }

  /** Whatever the report of the failure does, this replica queues again. */
  #failed(error: unknown): void {
    try {
      this.work.failed(error);
    } catch {
      // The failure of the work is what counts.
    }
  }

  /** Work that fails after a long leadership does not fail again and again. */
  #noteDuration(ms: number): void {
    if (ms > this.#afterFailure.longest) this.#afterFailure.reset();
  }

  #pause(length: DoublingPause): Promise<void> {
    return pause(this.context.clock, length.next(), this.#end);
  }
}

function waits(error: LockUnavailableError | LockConfigurationError): string {
  return error instanceof LockConfigurationError ? 'cannot lead, and tries again' : 'waits for contact';
}

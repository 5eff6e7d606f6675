import type { Abort } from '../abort.js';
import type { Clock } from '../clock.js';
import { innermost } from '../current-lock.js';
import { LockClosedError } from '../errors/lock-closed.error.js';
import { LockConfigurationError } from '../errors/lock-configuration.error.js';
import { LockUnavailableError } from '../errors/lock-unavailable.error.js';
import { escapeControls } from '../escape-controls.js';
import type { Hold } from '../hold.js';
import { isBusyError } from '../is-busy-error.js';
import { pause } from '../pause.js';
import { runHeld } from '../run-held.js';
import { LatestCall } from './latest-call.js';
import type { InterruptedRun, ScheduledCall, Tick } from './tick.interface.js';

export interface ScheduledJobContext {
  readonly resource: string;
  readonly interrupted: InterruptedRun;
  /** Of a run, ms; 0 = no limit. */
  readonly ttl: number;
  readonly clock: Clock;
  /** Aborts when the service begins to close. */
  readonly closing: Abort;
  /** False if no lock will be granted any more. */
  isUsable(): boolean;
  /** Waits for the lock of the job, for as long as it takes. It has no ttl before the run begins. */
  acquire(): Promise<Hold>;
  warn(message: string): void;
}

/** Between two attempts without contact, each of which waits for `connectTimeout`. */
const RETRY_PAUSE_MS = 5_000;
/** Clocks of replicas may differ by that much without a warning, ms. */
const CLOCK_TOLERANCE_MS = 60_000;

type Work<T> = (tick: Tick) => T | PromiseLike<T>;

/**
 * Runs a job in one replica for each scheduled time. The note of the resource is the scheduled time of the last completed
 * run. Every replica queues for the lock at every scheduled time, by its own clock, and the holder runs the job unless the
 * note says that this time or a later one is complete. A replica whose clock is behind comes later and finds it done; one
 * that waits for a replica that dies finds it not done.
 */
export class ScheduledJob {
  readonly #calls = new LatestCall();
  /** The latest hold, whose code may call the job again. */
  #held: Hold | undefined;
  /** The latest scheduled time that is known to be complete. */
  #completed = -Infinity;
  /** The latest scheduled time that it has begun to store as complete. */
  #stored = -Infinity;
  #warnedOf: number | undefined;

  constructor(private readonly context: ScheduledJobContext) {}

  /**
   * Runs `work` for the scheduled time, unless that is complete. Resolves with undefined if it has not run: also if this replica
   * runs or waits for another time, and is called for a later one meanwhile.
   *
   * @throws LockLostError if the lock is lost during the run, or released by it, or while `skip` stored the time
   * @throws LockUnavailableError if no lock will be granted any more
   * @throws LockConfigurationError if it is called by its own run
   * @throws the error of `work`
   */
  run<T>(call: ScheduledCall, work: Work<T>): Promise<T | undefined> {
    if (this.#isOwnRun()) return Promise.reject(this.#calledByItself());
    return this.#calls.run(() => this.#runOnce(call, work));
  }

  /** A lock that is lost before the run has begun is acquired again: otherwise, nobody might run that time. */
  async #runOnce<T>(call: ScheduledCall, work: Work<T>): Promise<T | undefined> {
    /** Of a hold that ended while it stored the time before its run. If it was stored, nobody runs that time. */
    let loss: unknown;
    let hasBegun = false;
    this.#stored = -Infinity;
    const begin: Work<T> = (tick) => {
      hasBegun = true;
      return work(tick);
    };
    while (!this.#isKnownComplete(call)) {
      const held = await this.#acquire();
      this.#held = held;
      if (held === undefined) break;
      try {
        const result = await runHeld(held, () => this.#runHeld(held, call, begin));
        if (!hasBegun) break;
        return result;
      } catch (error) {
        if (held.loss === undefined || hasBegun || call.scheduledAt <= this.#completed) throw error;
        if (call.scheduledAt === this.#stored) loss = error;
      }
    }
    if (loss !== undefined) throw loss;
    return undefined;
  }

  /** Such a call would wait for the run to end. Whether the run waits for the call, and so never ends, is not known here. */
  #isOwnRun(): boolean {
    return innermost((held) => held === this.#held && held.isHeld()) !== undefined;
  }

  #calledByItself(): LockConfigurationError {
    return new LockConfigurationError(
      `Scheduled job '${escapeControls(this.context.resource)}' is called by its own run: the call would wait for the run ` +
        'to end, and if the run waits for the call, neither would. Put the work into another method, and call that one',
    );
  }

  /** A time that is far ahead of the clock is read again: the note may have been deleted, which is the remedy for it. */
  #isKnownComplete({ scheduledAt, calledAt }: ScheduledCall): boolean {
    return scheduledAt <= this.#completed && !isFarAhead(this.#completed, calledAt);
  }

  /** Undefined if the job is not for this replica: the service closes, or does not wait because the lock is busy. */
  async #acquire(): Promise<Hold | undefined> {
    const { clock, closing } = this.context;
    for (let failures = 0; !closing.aborted; failures += 1) {
      try {
        return await this.context.acquire();
      } catch (error) {
        if (isBusyError(error) || error instanceof LockClosedError) return undefined;
        if (!(error instanceof LockUnavailableError) || !this.context.isUsable()) throw error;
        if (failures === 0) this.#warn(`waits for contact: ${error.message}`);
        await pause(clock, RETRY_PAUSE_MS, closing);
      }
    }
    return undefined;
  }

  async #runHeld<T>(held: Hold, call: ScheduledCall, work: Work<T>): Promise<T | undefined> {
    const { scheduledAt } = call;
    const { note, signal, fencingToken } = held;
    const last = readTime(await note.read());
    // The lock may be lost by now, for example because the event loop stalled (H41). Then the next hold counts.
    held.throwIfLost();
    this.#completed = last ?? -Infinity;
    if (scheduledAt <= this.#completed) return this.#warnIfFarAhead(call);
    if (this.context.interrupted === 'skip') await this.#complete(held, scheduledAt);
    held.throwIfLost();
    held.begin({ ttl: this.context.ttl, minHold: 0 }, this.context.clock.monotonic());
    const previous = last === undefined ? undefined : new Date(last);
    const result = await this.#attempt(held, scheduledAt, () =>
      work({ scheduledAt: new Date(scheduledAt), previous, signal, fencingToken }),
    );
    // The loss that the run has outlasted, and not another error for the same.
    held.assertHeld();
    if (this.#completed < scheduledAt) await this.#complete(held, scheduledAt);
    return result;
  }

  /** A run that fails is complete, because every other replica would fail in the same way, one after the other. */
  async #attempt<T>(held: Hold, time: number, work: () => T | PromiseLike<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // A run that stops because its lock is lost is interrupted. The error of the work takes precedence over that of the note.
      if (held.isHeld() && this.#completed < time) await this.#complete(held, time).catch(() => {});
      throw error;
    }
  }

  /** Refused by the store if the lock is lost: then another replica may run the job, or has done so. */
  async #complete({ note }: Hold, time: number): Promise<void> {
    this.#stored = time;
    await note.write(new Date(time).toISOString());
    this.#completed = time;
  }

  /**
   * Warns if a replica whose clock was far ahead has completed a time that is yet to come: until then, the job does not run.
   */
  #warnIfFarAhead({ calledAt }: ScheduledCall): undefined {
    const last = this.#completed;
    if (!isFarAhead(last, calledAt) || last === this.#warnedOf) return;
    this.#warnedOf = last;
    this.#warn(
      `does not run before ${new Date(last).toISOString()}, because a replica has completed that scheduled time already. ` +
        'The clock of a replica was wrong, or that of this one is. Correct it, and delete the note of the job to run it before',
    );
  }

  #warn(what: string): void {
    this.context.warn(`Scheduled job '${escapeControls(this.context.resource)}' ${what}`);
  }
}

function isFarAhead(time: number, now: number): boolean {
  return time - now > CLOCK_TOLERANCE_MS;
}

/** Undefined if it is no time: somebody else has written it. */
function readTime(note: string | undefined): number | undefined {
  const time = note === undefined ? NaN : Date.parse(note);
  return Number.isNaN(time) ? undefined : time;
}

import type { AcquisitionFailure } from '../acquisition-events.js';
import type { Acquisition, EarlierWait } from '../acquisition.js';
import type { LockLostError } from '../errors/lock-lost.error.js';
import type { Hold } from '../hold.js';
import type { EventSink } from '../lock-events.js';
import type { ResolvedLockOptions } from '../lock-options.js';
import { HeldBackEvents } from './held-back-events.js';

/** An acquisition that has begun, and the hold that it comes to. */
export interface StartedAcquisition {
  readonly acquisition: Acquisition;
  readonly hold: Promise<Hold>;
}

/** What an acquisition of one of several locks needs to know. */
export interface MemberContext {
  readonly options: ResolvedLockOptions;
  readonly events: EventSink;
  /** Default: it begins now. */
  readonly earlier?: EarlierWait;
}

/** The attempt to acquire one of several locks, which counts only once those before it are granted. */
export class MemberAttempt {
  /** Resolves when it is granted the lock or has to wait for it. Rejects as `hold` does. */
  readonly decided: Promise<'granted' | 'waiting'>;
  readonly #started: StartedAcquisition;
  readonly #events: HeldBackEvents;

  /** @param start begins it; may throw, for a service that closes */
  constructor(sink: EventSink, start: (events: EventSink) => StartedAcquisition) {
    let waits = (): void => {};
    this.#events = new HeldBackEvents(sink, () => waits());
    const waiting = new Promise<'waiting'>((resolve) => {
      waits = () => resolve('waiting');
    });
    this.#started = start(this.#events);
    this.decided = Promise.race([waiting, this.hold.then(() => 'granted' as const)]);
    // Nobody may be interested any more.
    this.decided.catch(() => {});
  }

  get hold(): Promise<Hold> {
    return this.#started.hold;
  }

  /** It counts: its events are emitted. */
  tell(): void {
    this.#events.tell();
  }

  /** How it has ended, after `decided` has rejected; undefined if it was withdrawn. */
  get failure(): AcquisitionFailure | undefined {
    return this.#started.acquisition.failure;
  }

  /** Ends the wait, if there is one: the call begins again because of this loss. */
  withdraw(loss: LockLostError): void {
    this.#started.acquisition.withdraw(loss);
  }

  /** Ends the wait or the hold. */
  giveUp(): void {
    this.#started.acquisition.withdraw(new Error('The call goes on without this attempt'));
    this.hold.then(
      (held) => held.giveUp(),
      () => {},
    );
  }
}

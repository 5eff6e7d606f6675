import type { Observable } from 'rxjs';
import type { Abort } from '../abort.js';
import type { Clock } from '../clock.js';
import type { Hold } from '../hold.js';
import { withInherited } from '../inherited-options.js';
import type { LockAcquirer } from '../lock-acquirer.js';
import type { EventSink, LockEvents } from '../lock-events.js';
import type { LockOptions, ResolvedLockOptions } from '../lock-options.js';
import type { LockSnapshot } from '../lock-provider.interface.js';
import { Campaign, type LeaderWork } from './campaign.js';
import { LEAD_OPTION_NAMES, assertLeadOptions } from './lead-options.js';
import type { Leadership, LeadOptions } from './leadership.interface.js';
import { leadership } from './leadership.js';

export interface ElectionsOptions {
  readonly clock: Clock;
  readonly events: LockEvents;
  readonly acquirer: LockAcquirer;
  /** Aborts when the service begins to close. */
  readonly closing: Abort;
  /** @throws LockConfigurationError */
  readonly resolve: (resource: string, options: LockOptions) => ResolvedLockOptions;
  /** False if nobody can have a lock of this name any more. */
  readonly isUsable: (resource: string) => boolean;
  readonly inspect: (resource: string) => Promise<LockSnapshot>;
  readonly warn: (message: string) => void;
}

/** A leader lasts until it leaves or is lost, and nobody waits for an answer. */
const UNLIMITED = {
  wait: Infinity,
  maxWaiters: Infinity,
  ttl: 0,
  whenCallerLeaves: 'stay',
  reentrant: false,
} as const satisfies LockOptions;

/** Elects leaders: the holder of a lock leads. */
export class Elections {
  // Private also when it is printed: the provider behind the acquirer knows credentials.
  readonly #parts: ElectionsOptions;

  constructor(parts: ElectionsOptions) {
    this.#parts = parts;
  }

  /**
   * Every subscription is a candidate.
   *
   * @throws LockConfigurationError
   */
  lead(resource: string, options: LeadOptions): Observable<Leadership> {
    const { inspect, resolve } = this.#parts;
    assertLeadOptions(options);
    resolve(resource, options);
    return leadership({
      campaign: (work, waiting) => this.campaign(resource, options, work, waiting),
      leader: async () => (await inspect(resource)).holder?.owner?.owner,
    });
  }

  /**
   * A candidate that works while it leads. It ends when the service begins to close.
   *
   * @param waiting called when others are ahead
   * @throws LockConfigurationError
   */
  campaign(resource: string, given: LeadOptions, work: LeaderWork, waiting = (): void => {}): Campaign {
    const { clock, closing, events: all, acquirer, resolve, isUsable, warn } = this.#parts;
    const options = resolve(resource, { ...withInherited(LEAD_OPTION_NAMES, given), ...UNLIMITED });
    const events: EventSink = {
      hearsRoutine: true,
      emit: (event) => {
        all.emit(event);
        if (event.type === 'waiting') waiting();
      },
    };
    const acquire = async (abort: Abort): Promise<Hold> => {
      const { acquisition, hold } = acquirer.start(resource, { options, events }, false);
      const stopListening = abort.onAbort((reason) => acquisition.leave(reason));
      try {
        return await hold;
      } finally {
        stopListening();
      }
    };
    return new Campaign(
      { resource, clock, closing, acquire, warn, isUsable: () => isUsable(resource) },
      work,
    );
  }
}

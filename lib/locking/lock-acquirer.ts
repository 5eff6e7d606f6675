import { Acquisition, type AcquisitionContext } from './acquisition.js';
import type { ActiveLocks } from './active-locks.js';
import { Hold, type HoldContext } from './hold.js';
import type { ResolvedLockOptions } from './lock-options.js';
import { SlowWaitWarnings } from './slow-wait-warnings.js';
import { GroupAcquisition } from './several/group-acquisition.js';
import type { HoldGroup } from './several/hold-group.js';
import { RecentWaits } from './several/recent-waits.js';
import type { MemberContext, StartedAcquisition } from './several/member-attempt.js';

export interface LockAcquirerOptions {
  readonly active: ActiveLocks;
  readonly acquisition: AcquisitionContext;
  readonly hold: HoldContext;
  /** Called before a lock is asked for. @throws LockClosedError if the service takes no more calls */
  admit(resource: string): void;
}

/** Turns calls into holds, for one lock and for several at once. */
export class LockAcquirer {
  // Private also when it is printed: the provider knows credentials.
  readonly #parts: LockAcquirerOptions;
  readonly #recentWaits = new RecentWaits();

  constructor(parts: LockAcquirerOptions) {
    this.#parts = parts;
  }

  /** For calls that may wait for a long time as planned: nobody is warned of slow waits. */
  patient(): LockAcquirer {
    const { acquisition } = this.#parts;
    const slowWaitWarnings = new SlowWaitWarnings({ ...acquisition, slowAfterMs: Infinity });
    return new LockAcquirer({ ...this.#parts, acquisition: { ...acquisition, slowWaitWarnings } });
  }

  /**
   * Rejects as `Acquisition.run` does.
   *
   * @param describeHolder whether a `LockBusyError` names the holder, which costs a read
   */
  acquire(resource: string, options: ResolvedLockOptions, describeHolder: boolean): Promise<Hold> {
    const { active, acquisition, hold } = this.#parts;
    const attempt = new Acquisition(resource, options, acquisition);
    return active.acquire(
      attempt,
      describeHolder,
      (grant, releasing) => new Hold(resource, options, grant, releasing, hold),
    );
  }

  /**
   * All or none. Rejects as `acquire` does.
   *
   * @param resources in lock order
   */
  async acquireAll(
    resources: readonly string[],
    options: ResolvedLockOptions,
    describeHolder: boolean,
  ): Promise<HoldGroup> {
    const { acquisition } = this.#parts;
    const { clock, events } = acquisition;
    // Before any is asked for: otherwise, one would be refused only when those before it are granted.
    const refused = resources
      .map((resource) => new Acquisition(resource, options, acquisition))
      .find(({ isRefused }) => isRefused);
    if (refused !== undefined) await refused.run(describeHolder);
    const start = (resource: string, member: MemberContext) => this.start(resource, member, describeHolder);
    const recentWaits = this.#recentWaits;
    const inContact = (resource: string) => acquisition.provider.inContact(resource);
    return new GroupAcquisition(resources, options, { clock, events, recentWaits, inContact, start }).run();
  }

  /**
   * Begins to acquire a lock for code that follows its events, and may leave.
   *
   * @throws LockClosedError
   */
  start(
    resource: string,
    { options, events, earlier }: MemberContext,
    describeHolder: boolean,
  ): StartedAcquisition {
    this.#parts.admit(resource);
    const { active } = this.#parts;
    const hold = { ...this.#parts.hold, events };
    const attempt = new Acquisition(resource, options, { ...this.#parts.acquisition, events }, earlier);
    const toHold = active.acquire(
      attempt,
      describeHolder,
      (grant, releasing) => new Hold(resource, options, grant, releasing, hold),
    );
    return { acquisition: attempt, hold: toHold };
  }
}

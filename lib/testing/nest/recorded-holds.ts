import type { HoldEvent, LockEvent } from '../../locking/lock-event.interface.js';
import type { OpenedLockService } from '../../lock-environment.interface.js';

/**
 * One hold of a lock service of the application under test.
 *
 * @publicApi
 */
export interface RecordedHold {
  readonly resource: string;
  readonly owner: string;
  /** The option `purpose`, or for `@Locked` without it `Class.method`, with the class that declares the method. */
  readonly purpose: string | undefined;
  readonly fencingToken: bigint;
  /** Name of the lock service, as given to `forRoot({ name })`. */
  readonly service: string | undefined;
  /** How the hold ended; undefined while the lock is held. */
  readonly end: 'released' | 'ttlExpired' | 'lost' | undefined;
}

/** All holds of lock services, recorded from their events. */
export class RecordedHolds {
  readonly #holds: RecordedHold[] = [];

  /** In the order of the grants. */
  get all(): readonly RecordedHold[] {
    return [...this.#holds];
  }

  record({ service, name }: OpenedLockService): void {
    service.events$.subscribe((event) => this.#record(event, name));
  }

  #record(event: LockEvent, service: string | undefined): void {
    if (event.type === 'acquired') {
      const { resource, owner, purpose, fencingToken } = event;
      this.#holds.push({ resource, owner, purpose, fencingToken, service, end: undefined });
    } else if (event.type === 'released' || event.type === 'ttlExpired' || event.type === 'lost') {
      const index = this.#holds.findLastIndex(
        (hold) => hold.end === undefined && isHoldOf(hold, event, service),
      );
      if (index !== -1) this.#holds[index] = { ...this.#holds[index]!, end: event.type };
    }
  }
}

/** Re-entrant holds have the token of the outer one. Where nothing else tells them apart, the inner one usually ends first. */
function isHoldOf(hold: RecordedHold, event: HoldEvent, service: string | undefined): boolean {
  return (
    hold.service === service &&
    hold.resource === event.resource &&
    hold.fencingToken === event.fencingToken &&
    hold.owner === event.owner &&
    hold.purpose === event.purpose
  );
}

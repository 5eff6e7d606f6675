import { currentLockOrThrow } from '../../lib/locking/current-lock.js';
import { LockFairnessError } from '../../lib/locking/errors/lock-fairness.error.js';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import type { HeldLock, HeldLocks, Leading, LockService } from '../../lib/index.js';
import type { TestedHold, TestedLocks } from './tested-locks.interface.js';

/** The locks of the library; without `@Locked`, which needs a Nest application. */
export function serviceLocks(service: LockService): TestedLocks {
  return {
    lock: (names, options) =>
      typeof names === 'string' ? service.lock(names, options) : service.lock(names, options),
    tryLock: (names, options) =>
      typeof names === 'string' ? service.tryLock(names, options) : service.tryLock(names, options),
    unlock: (held) => service.unlock(held as HeldLock | HeldLocks),
    withLock: (names, options, work) =>
      typeof names === 'string'
        ? service.withLock(names, options, work)
        : service.withLock(names, options, work),
    lead: (resource, name, candidate) => {
      const subscription = service.lead(resource, name).subscribe({
        next: (state) =>
          state.leader ? void candidate.leads(leaderHold(resource, state)) : candidate.follows(),
        error: (error: unknown) => candidate.ended(error),
        complete: () => candidate.ended(),
      });
      return () => subscription.unsubscribe();
    },
    campaign: (resource, name, candidate) => {
      const campaign = service.campaign(resource, name, {
        lead: (leading) => candidate.leads(leaderHold(resource, leading)),
        // That is not the end.
        failed: (error) => void (error instanceof LockFairnessError || candidate.ended(error)),
      });
      campaign.run().then(
        () => candidate.ended(),
        (error: unknown) => candidate.ended(error),
      );
      return () => campaign.end(new LockLostError(resource, 'released'));
    },
  };
}

/** The lock of a leader, which its code gets from the context in which it is told that it leads. */
function leaderHold(resource: string, { signal, fencingToken }: Leading): TestedHold {
  const held = currentLockOrThrow(resource);
  return {
    resource,
    signal,
    fencingToken,
    isHeld: () => held.isHeld(),
    assertHeld: () => held.assertHeld(),
    extend: (ttl) => held.extend(ttl),
    release: () => held.release(),
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  };
}

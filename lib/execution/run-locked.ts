import { throwError } from 'rxjs';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { HoldGuard } from '../locking/hold-guard.js';
import { resultOf, runCall } from './call-outcome.js';
import { acquire, type LockedCall } from './locked-call.js';
import { LockedGenerator } from './locked-generator.js';
import { lockedObservable } from './locked-observable.js';
import type { Generator } from '../locking/stream-result.js';
import type { ResultKind } from './method-result.js';
import type { RefusedUnused } from './adaptive-call.js';
import { AdaptiveResult } from './adaptive-result.js';

/** Runs a method under a lock, and returns the kind of result that the method returns. */
export function runLocked(kind: ResultKind, call: LockedCall, refusedUnused: RefusedUnused): unknown {
  switch (kind) {
    case 'promise':
      return lockedPromise(call);
    case 'observable':
      return lockedObservable(call);
    case 'generator':
      return lockedGenerator(call);
    default:
      return new AdaptiveResult(call, refusedUnused);
  }
}

/** A stream that the Promise resolves with has one hold, which ends with the stream. */
async function lockedPromise(call: LockedCall): Promise<unknown> {
  return resultOf(await runCall(call, ({ loss, title }) => throwError(() => loss ?? subscribedTwice(title))));
}

function lockedGenerator(call: LockedCall): LockedGenerator {
  return new LockedGenerator(async (signal) => {
    const held = await acquire(call, signal);
    return held && { guard: new HoldGuard(held), start: () => call.proceed() as Generator };
  });
}

function subscribedTwice(title: string): LockConfigurationError {
  return new LockConfigurationError(
    `The Observable of a locked method was subscribed to twice, or after its client had left, but has only one hold of ${title}. ` +
      'Return it from a method that is not async and is annotated as Observable: then every subscription acquires its own lock',
  );
}

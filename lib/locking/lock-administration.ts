import type { Abort } from './abort.js';
import type { ActiveLocks } from './active-locks.js';
import { LockClosedError } from './errors/lock-closed.error.js';
import { LockUnavailableError } from './errors/lock-unavailable.error.js';
import { tokenToRelease, type ForceReleaseOptions } from './force-release-options.js';
import { assertPermits, assertSignal } from './lock-options.js';
import type { LockProvider, LockSnapshot } from './lock-provider.interface.js';

export interface LockAdministrationOptions {
  readonly provider: LockProvider;
  readonly active: ActiveLocks;
  /** @throws LockConfigurationError */
  readonly assertName: (resource: string) => void;
  /** @throws LockClosedError */
  readonly admit: (resource: string, what: Outcome) => void;
  /** Aborts when the service takes no more calls. */
  readonly closing: Abort;
}

/** What a call does with a lock. */
type Outcome = 'inspected' | 'changed' | 'released';

/**
 * What people and other programs may ask of a lock that others hold. Every call rejects for bad input, before anything
 * is done.
 */
export class LockAdministration {
  // Private also when it is printed: the provider knows credentials.
  readonly #parts: LockAdministrationOptions;

  constructor(parts: LockAdministrationOptions) {
    this.#parts = parts;
  }

  async inspect(resource: string, signal?: AbortSignal): Promise<LockSnapshot> {
    return this.#ask(resource, 'inspected', signal, (provider) => provider.inspect(resource, signal));
  }

  async setPermits(resource: string, permits: number, signal?: AbortSignal): Promise<boolean> {
    assertPermits(permits);
    return this.#ask(resource, 'changed', signal, (provider) =>
      provider.setPermits(resource, permits, signal),
    );
  }

  async forceRelease(resource: string, given: ForceReleaseOptions, signal?: AbortSignal): Promise<boolean> {
    const token = tokenToRelease(given);
    return this.#ask(resource, 'released', signal, (provider) =>
      provider.forceRelease(resource, token, signal),
    );
  }

  async requestRelease(resource: string, signal?: AbortSignal): Promise<boolean> {
    return this.#ask(resource, 'released', signal, (provider) => provider.requestRelease(resource, signal));
  }

  async #ask<T>(
    resource: string,
    what: Outcome,
    signal: AbortSignal | undefined,
    call: (provider: LockProvider) => Promise<T>,
  ): Promise<T> {
    const { provider, active, assertName, admit, closing } = this.#parts;
    assertName(resource);
    assertSignal(signal);
    admit(resource, what);
    try {
      return await active.during(() => call(provider));
    } catch (cause) {
      if (cause instanceof LockUnavailableError && closing.aborted)
        throw new LockClosedError(resource, what, { cause });
      throw cause;
    }
  }
}

import type { Abort } from './abort.js';
import type { AbortListeners } from './abort-listeners.js';
import type { ActiveLocks } from './active-locks.js';
import { LockClosedError } from './errors/lock-closed.error.js';
import { LockUnavailableError } from './errors/lock-unavailable.error.js';
import { tokenToRelease, type ForceReleaseOptions } from './force-release-options.js';
import { assertPermits, assertSignal } from './lock-options.js';
import type { UseOfLock } from './service-lifecycle.js';
import type { LockProvider, LockSnapshot } from './lock-provider.interface.js';

export interface LockAdministrationOptions {
  readonly provider: LockProvider;
  readonly active: ActiveLocks;
  readonly aborts: AbortListeners;
  /** @throws LockConfigurationError */
  readonly assertName: (resource: string) => void;
  /** @throws LockClosedError */
  readonly admit: (resource: string, what: UseOfLock) => void;
  /** Aborts when the service takes no more calls. */
  readonly closing: Abort;
}

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
    return this.#ask(resource, 'inspected', signal, (provider, abort) => provider.inspect(resource, abort));
  }

  async setPermits(resource: string, permits: number, signal?: AbortSignal): Promise<boolean> {
    assertPermits(permits);
    return this.#ask(resource, 'changed', signal, (provider, abort) =>
      provider.setPermits(resource, permits, abort),
    );
  }

  async forceRelease(resource: string, given: ForceReleaseOptions, signal?: AbortSignal): Promise<boolean> {
    const token = tokenToRelease(given);
    return this.#ask(resource, 'released', signal, (provider, abort) =>
      provider.forceRelease(resource, token, abort),
    );
  }

  async requestRelease(resource: string, signal?: AbortSignal): Promise<boolean> {
    return this.#ask(resource, 'released', signal, (provider, abort) =>
      provider.requestRelease(resource, abort),
    );
  }

  async #ask<T>(
    resource: string,
    what: UseOfLock,
    signal: AbortSignal | undefined,
    call: (provider: LockProvider, abort: Abort | undefined) => Promise<T>,
  ): Promise<T> {
    const { provider, active, aborts, assertName, admit, closing } = this.#parts;
    assertName(resource);
    assertSignal(signal);
    admit(resource, what);
    try {
      return await active.during(() => aborts.during(signal, (abort) => call(provider, abort)));
    } catch (cause) {
      if (cause instanceof LockUnavailableError && closing.aborted)
        throw new LockClosedError(resource, what, { cause });
      throw cause;
    }
  }
}

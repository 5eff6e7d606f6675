import type { ActiveLocks } from './active-locks.js';
import { tokenToRelease, type ForceReleaseOptions } from './force-release-options.js';
import { assertPermits, assertSignal } from './lock-options.js';
import type { LockProvider, LockSnapshot } from './lock-provider.interface.js';

export interface LockAdministrationOptions {
  readonly provider: LockProvider;
  readonly active: ActiveLocks;
  /** @throws LockConfigurationError */
  readonly assertName: (resource: string) => void;
  /** @throws LockClosedError */
  readonly admit: (resource: string, what: 'inspected' | 'changed' | 'released') => void;
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
    const { provider, active } = this.#admitted(resource, 'inspected', signal);
    return active.during(() => provider.inspect(resource, signal));
  }

  async setPermits(resource: string, permits: number, signal?: AbortSignal): Promise<boolean> {
    assertPermits(permits);
    const { provider, active } = this.#admitted(resource, 'changed', signal);
    return active.during(() => provider.setPermits(resource, permits, signal));
  }

  async forceRelease(resource: string, given: ForceReleaseOptions, signal?: AbortSignal): Promise<boolean> {
    const token = tokenToRelease(given);
    const { provider, active } = this.#admitted(resource, 'released', signal);
    return active.during(() => provider.forceRelease(resource, token, signal));
  }

  async requestRelease(resource: string, signal?: AbortSignal): Promise<boolean> {
    const { provider, active } = this.#admitted(resource, 'released', signal);
    return active.during(() => provider.requestRelease(resource, signal));
  }

  #admitted(
    resource: string,
    what: 'inspected' | 'changed' | 'released',
    signal: AbortSignal | undefined,
  ): LockAdministrationOptions {
    this.#parts.assertName(resource);
    assertSignal(signal);
    this.#parts.admit(resource, what);
    return this.#parts;
  }
}

import type { Abort } from '../../locking/abort.js';
import type {
  Busy,
  EnterRequest,
  LockProviderListener,
  LockSnapshot,
  ShareableGrant,
  ShareableLockProvider,
  StoreTrouble,
} from '../../locking/lock-provider.interface.js';
import { ContactReports } from '../session/contact-reports.js';
import { ensembleOf } from './ensemble-of.js';

/** The provider of one of several ensembles. */
export interface EnsembleLockProvider extends ShareableLockProvider {
  /** Ready as far as that leaves nothing behind for other services. Returns what does the rest. Both throw as `ready` does. */
  reached(): Promise<() => Promise<void>>;
}

/** One of the ensembles. */
export interface Ensemble {
  readonly provider: EnsembleLockProvider;
  /** For messages, such as `connectString[0] (zk1:2181, zk2:2181)`. */
  readonly title: string;
}

/**
 * Spreads resources over several ensembles, each resource on exactly one. What happens to one ensemble concerns only its own
 * resources.
 */
export class SpreadLockProvider implements ShareableLockProvider {
  /** @param ensembles in the order of the option: the same in all replicas */
  constructor(private readonly ensembles: readonly Ensemble[]) {}

  get storeName(): string {
    return this.ensembles[0]!.provider.storeName;
  }

  open(listener: LockProviderListener): void {
    const contact = new ContactReports<Ensemble>(listener, new Set(this.ensembles));
    for (const ensemble of this.ensembles) ensemble.provider.open(listenerOf(ensemble, contact, listener));
  }

  /** A start that does not reach all ensembles must not mark those that it reaches: replicas with another list would fail. */
  async ready(): Promise<void> {
    const starts = await Promise.all(this.ensembles.map(({ provider }) => provider.reached()));
    await Promise.all(starts.map((finish) => finish()));
  }

  assertStorable(resource: string): void {
    this.#providerOf(resource).assertStorable(resource);
  }

  inContact(resource: string): boolean {
    return this.#providerOf(resource).inContact(resource);
  }

  isUsable(resource: string): boolean {
    return this.#providerOf(resource).isUsable(resource);
  }

  trouble(resource: string): StoreTrouble | undefined {
    return this.#providerOf(resource).trouble(resource);
  }

  enter(request: EnterRequest): Promise<ShareableGrant | Busy> {
    return this.#providerOf(request.resource).enter(request);
  }

  inspect(resource: string, abort?: Abort): Promise<LockSnapshot> {
    return this.#providerOf(resource).inspect(resource, abort);
  }

  setPermits(resource: string, permits: number, abort?: Abort): Promise<boolean> {
    return this.#providerOf(resource).setPermits(resource, permits, abort);
  }

  forceRelease(resource: string, token: bigint, abort?: Abort): Promise<boolean> {
    return this.#providerOf(resource).forceRelease(resource, token, abort);
  }

  requestRelease(resource: string, abort?: Abort): Promise<boolean> {
    return this.#providerOf(resource).requestRelease(resource, abort);
  }

  /** An ensemble that cannot be reached, or fails to close, does not keep the others open. */
  async close(): Promise<void> {
    await Promise.allSettled(this.ensembles.map(({ provider }) => provider.close()));
  }

  #providerOf(resource: string): EnsembleLockProvider {
    return this.ensembles[ensembleOf(resource, this.ensembles.length)]!.provider;
  }
}

/** Names the ensemble wherever a message or an event does not name its server. */
function listenerOf(
  ensemble: Ensemble,
  contact: ContactReports<Ensemble>,
  listener: LockProviderListener,
): LockProviderListener {
  const { title } = ensemble;
  return {
    ready: (info) => contact.connected(ensemble, info),
    resumed: (info) => contact.connected(ensemble, info),
    suspended: (cause) => contact.disconnected(ensemble, new Error(`${title}: ${cause.message}`, { cause })),
    sessionExpired: (session) => {
      listener.warning(`${title}: session ${session} has expired`);
      contact.expired(ensemble);
    },
    authenticationFailed: () => {
      listener.warning(`${title}: the servers refused the credentials`);
      contact.authenticationFailed();
    },
    attemptFailed: (server, cause) => listener.attemptFailed(server, cause),
    warning: (message) => listener.warning(`${title}: ${message}`),
    together: listener.together?.bind(listener),
  };
}

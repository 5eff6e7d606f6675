import type { IdentitySet } from '../identity/identity-set.js';
import type { Watcher } from '../watches/tree-watches.js';

/** What handling a request needs to know of the connection it came over. */
export interface Client extends Watcher {
  readonly identities: IdentitySet;
  /** Address of the other end, without the port. */
  readonly address: string;
}

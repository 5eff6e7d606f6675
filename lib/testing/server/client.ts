import type { IdentitySet } from '../identity/identity-set.js';
import type { Watcher } from '../watches/tree-watches.js';

/** The connection of a request, as the handlers see it. */
export interface Client extends Watcher {
  readonly identities: IdentitySet;
  /** Address of the other end, without the port. */
  readonly address: string;
}

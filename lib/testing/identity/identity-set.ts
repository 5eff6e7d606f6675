import { bucketOf, javaHash } from '../tree/java-hash.js';
import type { Identity } from './identity.js';

const TABLE_SIZE = 16;

/** The identities of one connection, in the order of a real server's hash table. */
export class IdentitySet {
  #identities: Identity[] = [];

  add(added: Identity): void {
    if (this.#identities.some(({ scheme, id }) => scheme === added.scheme && id === added.id)) return;
    this.#identities = [...this.#identities, added].sort((one, other) => place(one) - place(other));
  }

  all(): readonly Identity[] {
    return this.#identities;
  }
}

function place({ scheme, id }: Identity): number {
  const hash = Math.imul(Math.imul(17, 37) + javaHash(scheme), 37) + javaHash(id);
  return bucketOf(hash | 0, TABLE_SIZE);
}

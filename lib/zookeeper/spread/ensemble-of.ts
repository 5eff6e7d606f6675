import { createHash } from 'node:crypto';

/**
 * The ensemble that has a resource, as an index in the list, by rendezvous hashing: the one with the highest weight. Appending
 * an ensemble moves resources only to the new one. A contract between replicas, and between versions: docs/protocol.md
 * specifies it.
 *
 * It depends on the index and not on the names of servers, because the servers of an ensemble may change while replicas run.
 *
 * @param of the number of ensembles
 */
export function ensembleOf(resource: string, of: number): number {
  let chosen = 0;
  let highest = -1n;
  for (let ensemble = 0; ensemble < of; ensemble += 1) {
    const weight = createHash('sha256').update(`${ensemble}:${resource}`).digest().readBigUInt64BE();
    if (weight <= highest) continue;
    chosen = ensemble;
    highest = weight;
  }
  return chosen;
}

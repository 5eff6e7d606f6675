import { readFile } from 'node:fs/promises';
import { FIELDS } from '../process/grant-log.js';

/** A grant; times on the shared clock, ns. */
export interface Grant {
  readonly key: number;
  readonly requested: number;
  readonly acquired: number;
  /** Just before the release was requested. */
  readonly releasing: number;
}

/** Reads the grants that a worker has written. */
export async function readGrants(file: string): Promise<Grant[]> {
  const bytes = await readFile(file);
  // A copy, because doubles must be aligned.
  const numbers = new Float64Array(new Uint8Array(bytes).buffer);
  return Array.from({ length: numbers.length / FIELDS }, (_, grant) => {
    const [key, requested, acquired, releasing] = numbers.subarray(grant * FIELDS);
    return { key: key!, requested: requested!, acquired: acquired!, releasing: releasing! };
  });
}

import type { Mutant } from '../../mutants/mutant.js';
import type { ProfileName } from '../scenario/profiles/profiles.js';
import type { Finding } from './find-violation.js';
import { MutatedBuild } from './mutated-build.js';
import { search } from './search.js';

/** Between the first seeds of two searches: no two run the same seed. */
const STRIDE = 100_000;

export interface Judgement {
  readonly mutant: string;
  /** Of all runs; undefined: each seed drew one. */
  readonly profile: ProfileName | undefined;
  /** How many seeds it took, of each search that found something. */
  readonly seeds: readonly number[];
  /** How many seeds showed nothing in searches that were out of time. */
  readonly inVain: number;
  /** Of the first search that found something. */
  readonly first: Finding | undefined;
}

/** Searches from different first seeds. A mutant that the first two searches do not find is given up. */
export async function judgeMutant(
  mutant: Mutant,
  limitMs: number,
  searches: number,
  profile: ProfileName | undefined,
): Promise<Judgement> {
  const build = new MutatedBuild(mutant);
  try {
    const seeds: number[] = [];
    let inVain = 0;
    let first: Finding | undefined;
    for (let index = 0; index < searches; index += 1) {
      if (index >= 2 && first === undefined) break;
      const result = await search(build.directory, 1 + index * STRIDE, limitMs, profile);
      if (result.found === undefined) inVain += result.seeds;
      else seeds.push(result.seeds);
      first ??= result.found;
    }
    return { mutant: mutant.name, profile, seeds, inVain, first };
  } finally {
    build.remove();
  }
}

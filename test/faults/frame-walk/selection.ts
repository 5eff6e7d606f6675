import fc from 'fast-check';

/** The part of a walk to run. */
export interface Selection {
  readonly all: boolean;
  readonly seed: number;
  readonly describe: string;
}

/** Steps of each scenario in a sample. */
const SAMPLE = 6;

export function walkSelection(env: NodeJS.ProcessEnv = process.env): Selection {
  const all = env['WALK'] === 'all';
  const seed = Number(env['SEED'] ?? 1);
  return { all, seed, describe: all ? 'all frames' : `a sample, seed ${seed}` };
}

/** The same seed chooses the same steps. */
export function sample<T>(items: readonly T[], { all, seed }: Selection): readonly T[] {
  if (all) return items;
  const length = Math.min(SAMPLE, items.length);
  const subset = fc.shuffledSubarray([...items], { minLength: length, maxLength: length });
  return fc.sample(subset, { seed, numRuns: 1 })[0]!;
}

import { parseArgs } from 'node:util';
import { MUTANTS, mutantsNamed } from './mutants.js';
import type { Mutant } from './mutant.js';

export const USAGE = `npm run test:mutants -- [--shard 1/4] [NAME ...]`;

/**
 * The mutants to apply. A shard `i/n` is every n-th of them from the i-th on, so that n machines share the work.
 *
 * @throws Error if an option or a name is unknown or invalid
 */
export function parseCommandLine(args: readonly string[]): readonly Mutant[] {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { shard: { type: 'string', default: '1/1' } },
  });
  const [, index, count] = /^(\d{1,3})\/(\d{1,3})$/.exec(values.shard)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index < 1 || index > count)
    throw new Error(`--shard must be i/n, where 1 <= i <= n <= 999: got ${values.shard}`);
  const chosen = positionals.length === 0 ? MUTANTS : mutantsNamed(positionals);
  return chosen.filter((_mutant, at) => at % count === index - 1);
}

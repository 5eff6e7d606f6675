import { withInherited } from '../locking/inherited-options.js';
import type { Option } from '../locking/option-table.js';

/**
 * What an environment variable that is not set makes of a value: `undefined`, an empty text where a shell or a compose
 * file passes it on, or `NaN` where a number is read from it.
 */
function isUnset(value: unknown): boolean {
  return value === undefined || value === '' || Number.isNaN(value);
}

/** The problem of a value that is given and not set, as a sentence. */
export function* validateUnset(name: string, value: unknown, otherwise: string): Generator<string> {
  if (!isUnset(value)) return;
  const shown = value === '' ? 'an empty string' : String(value);
  yield `\`${name}\` is ${shown}: the environment variable it comes from is probably not set. Set it, or ${otherwise}`;
}

/**
 * Finds the options that are given and not set, among those that must be set if given: their default would lock in
 * another place, or with other credentials, than the author intended.
 *
 * @param table `omitted` of an option that must be set if given: what leaving the key out means
 * @returns the problems, and the other options
 */
export function splitUnset<Options extends object>(
  table: Readonly<Record<string, Option<unknown> & { readonly omitted?: string }>>,
  given: Options,
): { problems: string[]; options: Partial<Options> } {
  const problems: string[] = [];
  const set = Object.entries(withInherited(Object.keys(table), given)).filter(([name, value]) => {
    const omitted = table[name]?.omitted;
    const found =
      omitted === undefined ? [] : [...validateUnset(name, value, `leave the key out ${omitted}`)];
    problems.push(...found);
    return found.length === 0;
  });
  return { problems, options: Object.fromEntries(set) as Partial<Options> };
}

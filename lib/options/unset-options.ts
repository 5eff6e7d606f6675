import type { LockModuleOptions } from './lock-module-options.js';

/** What happens without the option, for those that say where the locks are and who asks for them. */
const WITHOUT = {
  connectString: "leave the key out for 'localhost:2181'",
  host: "leave the key out for 'localhost'",
  port: 'leave the key out for 2181',
  root: "leave the key out for '/locks'",
  resourceName: 'leave the key out to append nothing to `root`',
  auth: 'leave the key out to connect without credentials',
} satisfies Partial<Record<keyof LockModuleOptions, string>>;

/**
 * What an environment variable that is not set makes of a value: `undefined`, or an empty text where a shell or a compose
 * file passes it on, or `NaN` where it was to be a number.
 */
function isUnset(value: unknown): boolean {
  return value === undefined || value === '' || Number.isNaN(value);
}

/** The problem of a value that is there and not set, as a sentence. Other bad values are somebody else's problem. */
export function* validateUnset(name: string, value: unknown, otherwise: string): Generator<string> {
  if (!isUnset(value)) return;
  const shown = value === '' ? 'an empty string' : String(value);
  yield `\`${name}\` is ${shown}: the environment variable it comes from is probably not set. Set it, or ${otherwise}`;
}

/**
 * Every option that was given and is not set: its default would lock somewhere else, or as somebody else, than the author
 * meant.
 *
 * @param options what is left to check without those options
 */
export function splitUnset(given: LockModuleOptions): { problems: string[]; options: LockModuleOptions } {
  const unset = new Set<string>();
  const problems = Object.entries(WITHOUT).flatMap(([name, otherwise]) => {
    if (!Object.hasOwn(given, name)) return [];
    const found = [...validateUnset(name, Reflect.get(given, name), otherwise)];
    if (found.length > 0) unset.add(name);
    return found;
  });
  const left = Object.entries(given).filter(([name]) => !unset.has(name));
  return { problems, options: Object.fromEntries(left) };
}

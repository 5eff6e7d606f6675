import { quoted } from './describe-value.js';

/** Finds the problems of an option's value, as sentences that call it `name`. */
export type Check = (name: string, value: unknown) => Iterable<string>;

/** What the code knows about one option. */
export interface Option<Value> {
  /** The value of an option that is not given. */
  readonly default?: Value;
  /** What the value counts; docs/options.md shows it. */
  readonly unit?: string;
  /** Called only for an option that is given. */
  readonly check: Check;
}

/** All options of an interface. The compiler requires an entry for each of its members. */
export type OptionTable<Options> = { readonly [Name in keyof Options]-?: Option<Options[Name]> };

/** The options of an interface, with those present that have a default in the table. */
export type WithDefaults<Options, Table extends OptionTable<Options>> = {
  readonly [Name in keyof Required<Options>]: Table[Name] extends { readonly default: unknown }
    ? Exclude<Options[Name], undefined>
    : Options[Name];
};

/**
 * Every problem of the given options. A misspelt option is one, because it would silently mean its default; its value is
 * not shown, because it may be a secret.
 *
 * @param kind what the options are called in the sentence about an unknown one
 * @param prefix put before the name of each option
 */
export function validateOptions(
  kind: string,
  table: Readonly<Record<string, Option<unknown>>>,
  given: object,
  prefix = '',
): string[] {
  const problems = [...unknownNames(kind, Object.keys(table), given)];
  for (const name in table) {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined) problems.push(...table[name]!.check(prefix + name, value));
  }
  return problems;
}

/** The problems of the names that are not among the accepted ones. */
export function* unknownNames(kind: string, accepted: readonly string[], given: object): Generator<string> {
  for (const name of Object.keys(given))
    if (!accepted.includes(name))
      yield `unknown ${kind} ${quoted(name)}: accepted are ${accepted.join(', ')}`;
}

/** All options of a table: as given, else as in `fallback`, else their default. Runs for every lock. */
export function withDefaults<Options extends object, Table extends OptionTable<Options>>(
  table: Table,
  given: Options,
  fallback: Partial<Options> = {},
): WithDefaults<Options, Table> {
  const options: Partial<Options> = {};
  for (const name in table as OptionTable<Options>) {
    if (given[name] !== undefined) options[name] = given[name];
    else if (fallback[name] !== undefined) options[name] = fallback[name];
    else options[name] = table[name].default as Options[typeof name];
  }
  return options as WithDefaults<Options, Table>;
}

import { MAX_TIMER_MS } from './clock.js';
import { describeValue } from './describe-value.js';
import type { Check, Option } from './option-table.js';

const MAX_PORT = 65_535;

/** Its problem reads "`name` must be `accepted`", with the bad value and its type. */
export function mustBe(accepted: string, accepts: (value: unknown) => boolean): Check {
  return (name, value) =>
    accepts(value) ? [] : [`\`${name}\` must be ${accepted}: got ${describeValue(value)}`];
}

interface WholeNumberRange {
  /** @default 0 */
  readonly least?: number;
  readonly most?: number;
  /** Also accept Infinity. */
  readonly infinite?: boolean;
  /** What 0 means, for the message. */
  readonly zero?: string;
}

/** A count of something, with its unit; `''` for none. */
export function wholeNumber(
  unit: string,
  { least = 0, most = Number.MAX_SAFE_INTEGER, infinite = false, zero }: WholeNumberRange = {},
): Pick<Option<number>, 'unit' | 'check'> {
  const accepted =
    `a whole number ${unit === '' ? '' : `of ${unit} `}from ${least}${zero === undefined ? '' : ` (${zero})`}` +
    `${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}${infinite ? ', or Infinity' : ''}`;
  const isInRange = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  return { unit, check: mustBe(accepted, (value) => (infinite && value === Infinity) || isInRange(value)) };
}

/** A duration that a timer can take. */
export function milliseconds(range: WholeNumberRange = {}): Pick<Option<number>, 'unit' | 'check'> {
  return { unit: 'ms', check: wholeNumber('milliseconds', { most: MAX_TIMER_MS, ...range }).check };
}

/** The number of a TCP port. */
export function port(least = 1): Check {
  const { check } = wholeNumber('', { least, most: MAX_PORT });
  return check;
}

export function oneOf(...choices: readonly string[]): Check {
  const accepted = choices.map((choice) => `'${choice}'`).join(' or ');
  return mustBe(accepted, (value) => choices.includes(value as string));
}

export const trueOrFalse: Check = mustBe('true or false', (value) => typeof value === 'boolean');

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const nonEmptyText = mustBe('a non-empty string', isText);

/** A text that ends up in messages and logs of other processes. */
export function shortText(most: number): Check {
  return (name, value) =>
    isText(value) && value.length > most
      ? [`\`${name}\` must have at most ${most} characters: got ${value.length}`]
      : nonEmptyText(name, value);
}

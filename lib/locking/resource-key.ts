import { describeValue, quoted } from './describe-value.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { escapeControls } from './escape-controls.js';
import { assertNoForeignPlaceholder } from './foreign-placeholders.js';
import { isAsyncOrGenerator, isForgottenPromise } from './forgotten-promise.js';
import type { LockNames } from './lock-names.js';

/** Computes a resource name, or several, from the arguments of a call. */
export type ResourceKey = (args: readonly unknown[]) => LockNames;

/** `{{`, or `{` and a digit up to the next `}` (or to the end, which is an error). */
const BRACE = /\{\{|\{(\d[^{}]*)(\}?)/g;
const PLACEHOLDER = /^(?:0|[1-9]\d*)(?:\.[^.{}]+)*$/;

/** Text that `${value}` produces from a value that is not meant for a name. */
const ACCIDENT = /(?<![\p{L}\p{N}])(?:undefined|null|NaN)(?![\p{L}\p{N}])|\[object [^\]]*\]/u;
/** A template literal in quotes instead of backticks. */
const QUOTED_TEMPLATE = /\$\{[^{}]+\}/;

/**
 * Compiles a template: `{0}` is the first argument, `{0.customer.id}` a property of it, `{{` an escaped brace. A brace that
 * is followed by neither a digit nor a word is literal text.
 *
 * @param allowLiteral accept placeholders of other libraries, such as `{id}` and `/:id`, as literal text
 * @throws LockConfigurationError for a malformed or foreign placeholder; the key throws it for a missing or invalid value
 */
export function templateKey(template: string, allowLiteral: boolean): (args: readonly unknown[]) => string {
  if (!allowLiteral) assertNoForeignPlaceholder(template);
  const literals: string[] = [];
  const paths: string[] = [];
  let literal = '';
  let end = 0;
  for (const match of template.matchAll(BRACE)) {
    const [text, path, closing] = match;
    literal += template.slice(end, match.index);
    end = match.index + text.length;
    if (path === undefined) {
      literal += '{';
      continue;
    }
    if (closing !== '}' || !PLACEHOLDER.test(path)) throw malformed(template, text);
    literals.push(literal);
    paths.push(path);
    literal = '';
  }
  const last = literal + template.slice(end);
  return (args) => literals.map((part, i) => part + valueAt(template, paths[i]!, args)).join('') + last;
}

/**
 * Wraps a key function of the application to check its result: with `order:undefined`, unrelated calls would share a lock.
 *
 * @param allowLiteral accept results that contain a segment `undefined`, `null`, `NaN` or `[object X]`, or `${...}`
 * @throws LockConfigurationError unless `key` is a synchronous function; the key throws it for an invalid result
 */
export function functionKey(key: unknown, allowLiteral: boolean): ResourceKey {
  assertKeyFunction(key);
  return (args) => {
    const result = key(...args);
    const names: readonly unknown[] = Array.isArray(result) ? result : [result];
    for (const name of names) {
      if (typeof name !== 'string') throw notAName(name);
      if (!allowLiteral) assertIntended(name);
    }
    return result as LockNames;
  };
}

function assertKeyFunction(key: unknown): asserts key is (...args: unknown[]) => unknown {
  if (typeof key !== 'function') {
    throw new LockConfigurationError(
      `A key function that returns a resource name is required: got ${describeValue(key)}`,
    );
  }
  if (!isAsyncOrGenerator(key)) return;
  throw new LockConfigurationError(
    `A key function must return a resource name synchronously: got ${describeValue(key)}, which is async or a generator. ` +
      'Look up the parts of the name before the call, and pass them as arguments',
  );
}

function notAName(result: unknown): LockConfigurationError {
  const refusal = `A key function must return a resource name, a non-empty string: got ${describeValue(result)}`;
  if (!isForgottenPromise(result)) return new LockConfigurationError(refusal);
  return new LockConfigurationError(
    `${refusal}. Look up the parts of the name before the call, and pass them as arguments`,
  );
}

function assertIntended(resource: string): void {
  if (ACCIDENT.test(resource)) {
    throw new LockConfigurationError(
      `A key function returned ${describeValue(resource)}, which looks like a missing argument: unrelated calls would ` +
        'share one lock. Check the arguments of the call, or set allowLiteral: true if the name is intended',
    );
  }
  const [quoted] = QUOTED_TEMPLATE.exec(resource) ?? [];
  if (quoted !== undefined) {
    throw new LockConfigurationError(
      `A key function returned ${describeValue(resource)}: '${quoted}' is replaced only between backticks, so unrelated ` +
        'calls would share one lock. Write (id) => `order:${id}`, or set allowLiteral: true if the name is intended',
    );
  }
}

function valueAt(template: string, path: string, args: readonly unknown[]): string {
  const [index, ...properties] = path.split('.');
  let value: unknown = args[Number(index)];
  for (const property of properties) {
    value = value === undefined || value === null ? undefined : (value as Record<string, unknown>)[property];
  }
  if (isKeyPart(value)) return String(value);
  throw new LockConfigurationError(
    `The resource template ${quoted(template)} requires a non-empty string, a finite number, a bigint or a boolean for {${escapeControls(path)}}: ` +
      `got ${describeValue(value)} from a call with ${args.length} argument${args.length === 1 ? '' : 's'}`,
  );
}

function isKeyPart(value: unknown): value is string | number | bigint | boolean {
  if (typeof value === 'string') return value !== '';
  return Number.isFinite(value) || typeof value === 'bigint' || typeof value === 'boolean';
}

function malformed(template: string, placeholder: string): LockConfigurationError {
  return new LockConfigurationError(
    `The resource template ${quoted(template)} has a malformed placeholder ${quoted(placeholder)}: valid are {0} and ` +
      '{0.customer.id}; {{ is an escaped brace',
  );
}

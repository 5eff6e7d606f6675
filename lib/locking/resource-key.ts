import { describeValue } from './describe-value.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { assertNoForeignPlaceholder } from './foreign-placeholders.js';

/** Computes a resource name from the arguments of a call. */
export type ResourceKey = (args: readonly unknown[]) => string;

/** `{{`, or `{` with a digit after it up to its `}` (or to the end, which is an error). */
const BRACE = /\{\{|\{(\d[^{}]*)(\}?)/g;
const PLACEHOLDER = /^\d+(?:\.[^.{}]+)*$/;

/** What a value that was never meant to be in a name looks like after `${value}`. */
const ACCIDENT = /(?<![\p{L}\p{N}_])(?:undefined|null|NaN)(?![\p{L}\p{N}_])|\[object [^\]]*\]/u;
/** What a template literal looks like that was written in quotes. */
const QUOTED_TEMPLATE = /\$\{[^{}]+\}/;
const ASYNC_OR_GENERATOR = /^\[object (?:Async|Generator)/;

/**
 * Compiles a template: `{0}` is the first argument, `{0.customer.id}` a property of it, `{{` a brace; braces that are
 * followed by neither a digit nor a word stand for themselves.
 *
 * @param allowLiteral let the placeholders of other libraries, such as `{id}` and `/:id`, stand for themselves
 * @throws LockConfigurationError for a malformed or foreign placeholder, and, at the call, for a missing or unfit value
 */
export function templateKey(template: string, allowLiteral: boolean): ResourceKey {
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
 * A key function of the user, with its result checked: `order:undefined` would be one lock for everybody.
 *
 * @param allowLiteral accept results in which a segment reads `undefined`, `null`, `NaN` or `[object X]`, or that contain
 *   `${...}`
 * @throws LockConfigurationError for what is no function or an async one, and, at the call, for an unfit result
 */
export function functionKey(key: unknown, allowLiteral: boolean): ResourceKey {
  assertKeyFunction(key);
  return (args) => {
    const resource = key(...args);
    if (typeof resource !== 'string') throw noName(resource);
    if (!allowLiteral) assertMeant(resource);
    return resource;
  };
}

function assertKeyFunction(key: unknown): asserts key is (...args: unknown[]) => unknown {
  if (typeof key !== 'function') {
    throw new LockConfigurationError(
      `A key function is needed, which returns a resource name: got ${describeValue(key)}`,
    );
  }
  if (!ASYNC_OR_GENERATOR.test(Object.prototype.toString.call(key))) return;
  throw new LockConfigurationError(
    `A key function must return a resource name at once: got ${describeValue(key)}, which is async or a generator. ` +
      'Look up what the name needs before the call, and pass it as an argument',
  );
}

function noName(result: unknown): LockConfigurationError {
  const refusal = `A key function must return a resource name, which is a non-empty string: got ${describeValue(result)}`;
  if (!(result instanceof Promise)) return new LockConfigurationError(refusal);
  // Nobody waits for it: a rejection must not end the process.
  result.catch(() => {});
  return new LockConfigurationError(
    `${refusal}. Look up what the name needs before the call, and pass it as an argument`,
  );
}

function assertMeant(resource: string): void {
  if (ACCIDENT.test(resource)) {
    throw new LockConfigurationError(
      `A key function returned ${describeValue(resource)}, which looks like a missing argument and would be one lock ` +
        'for all of them. Check the arguments of the call, or say allowLiteral: true if the name is meant',
    );
  }
  const [quoted] = QUOTED_TEMPLATE.exec(resource) ?? [];
  if (quoted !== undefined) {
    throw new LockConfigurationError(
      `A key function returned ${describeValue(resource)}: '${quoted}' is replaced only between backticks, so unrelated ` +
        'calls would share one lock. Write (id) => `order:${id}`, or say allowLiteral: true if the name is meant',
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
    `The resource template '${template}' needs a non-empty string, a finite number, a bigint or a boolean for {${path}}: ` +
      `got ${describeValue(value)} from a call with ${args.length} argument${args.length === 1 ? '' : 's'}`,
  );
}

function isKeyPart(value: unknown): value is string | number | bigint | boolean {
  if (typeof value === 'string') return value !== '';
  return Number.isFinite(value) || typeof value === 'bigint' || typeof value === 'boolean';
}

function malformed(template: string, placeholder: string): LockConfigurationError {
  return new LockConfigurationError(
    `The resource template '${template}' has a malformed placeholder '${placeholder}': accepted are {0}, {0.customer.id}, ` +
      'and {{ for a brace',
  );
}

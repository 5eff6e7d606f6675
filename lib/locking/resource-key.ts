import { describeValue } from './describe-value.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';

/** Computes a resource name from the arguments of a call. */
export type ResourceKey = (args: readonly unknown[]) => string;

/** `{{`, or `{` with a digit after it up to its `}` (or to the end, which is an error). */
const BRACE = /\{\{|\{(\d[^{}]*)(\}?)/g;
const PLACEHOLDER = /^\d+(?:\.[^.{}]+)*$/;

/** What a value that was never meant to be in a name looks like after `${value}`. */
const ACCIDENT = /(?<![\p{L}\p{N}_])(?:undefined|null|NaN)(?![\p{L}\p{N}_])|\[object [^\]]*\]/u;

/**
 * Compiles a template: `{0}` is the first argument, `{0.customer.id}` a property of it, `{{` a brace; braces without a
 * leading digit stand for themselves.
 *
 * @throws LockConfigurationError for a malformed placeholder, and, at the call, for a missing or unfit value
 */
export function templateKey(template: string): ResourceKey {
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
 * @param allowLiteral accept results in which a segment reads `undefined`, `null`, `NaN` or `[object X]`
 */
export function functionKey(key: (...args: unknown[]) => unknown, allowLiteral: boolean): ResourceKey {
  return (args) => {
    const resource = key(...args);
    if (typeof resource !== 'string') {
      throw new LockConfigurationError(
        `A key function must return a resource name, which is a non-empty string: got ${describeValue(resource)}`,
      );
    }
    if (!allowLiteral && ACCIDENT.test(resource)) {
      throw new LockConfigurationError(
        `A key function returned ${describeValue(resource)}, which looks like a missing argument and would be one lock ` +
          'for all of them. Check the arguments of the call, or say allowLiteral: true if the name is meant',
      );
    }
    return resource;
  };
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

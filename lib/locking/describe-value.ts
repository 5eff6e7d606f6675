import { escapeControls } from './escape-controls.js';

const MAX_LENGTH = 80;

/**
 * A value and its type for an error message: `'-1' (string)`, `-1 (number)`, `undefined`, `an object Foo`. Never throws, and
 * never runs a method of the value: it may be anything, from code without types.
 */
export function describeValue(value: unknown): string {
  try {
    return describe(value);
  } catch {
    // A getter throws, or it is a Proxy that has been revoked.
    return `${typeof value === 'function' ? 'a function' : 'an object'} that cannot be read`;
  }
}

/** A text from outside in quotes, escaped and not too long. */
export function quoted(text: string): string {
  return `'${shown(text)}'`;
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  switch (typeof value) {
    case 'string':
      return `${quoted(value)} (string)`;
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'symbol':
      return `${shown(String(value))} (${typeof value})`;
    case 'function':
      return `a function ${nameOf(value) ?? 'without a name'}`;
    default:
      return Array.isArray(value) ? `an array of ${value.length}` : `an object ${className(value)}`;
  }
}

function className(value: object): string {
  const constructor: unknown = value.constructor;
  if (typeof constructor !== 'function') return 'without a constructor';
  return nameOf(constructor) ?? 'of a class without a name';
}

/** A class may have a static member `name` of its own. */
function nameOf({ name }: { readonly name: unknown }): string | undefined {
  return typeof name === 'string' && name !== '' ? shown(name) : undefined;
}

function shown(text: string): string {
  return escapeControls(text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}...`);
}

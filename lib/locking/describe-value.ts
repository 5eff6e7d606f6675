import { escapeControls } from './escape-controls.js';

const MAX_LENGTH = 80;

/** A value and its type for an error message: `'-1' (string)`, `-1 (number)`, `undefined`, `an object Foo`. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  switch (typeof value) {
    case 'string':
      return `'${escapeControls(shorten(value))}' (string)`;
    case 'number':
    case 'boolean':
    case 'bigint':
      return `${value} (${typeof value})`;
    case 'symbol':
      return `${String(value)} (symbol)`;
    case 'function':
      return `a function ${value.name || 'without a name'}`;
    default:
      return Array.isArray(value) ? `an array of ${value.length}` : `an object ${constructorName(value)}`;
  }
}

function shorten(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}...`;
}

function constructorName(value: object): string {
  const constructor: unknown = value.constructor;
  return typeof constructor === 'function' ? constructor.name : 'without a constructor';
}

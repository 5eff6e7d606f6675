/** A replacer for JSON.stringify that makes tokens and errors readable on the page. */
export function readable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}

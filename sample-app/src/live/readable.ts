/** A replacer for JSON.stringify, so that tokens and errors can be read on the page. */
export function readable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}

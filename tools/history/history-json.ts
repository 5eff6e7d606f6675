/** The fields with bigint values, which JSON numbers cannot represent. */
const BIGINT_FIELDS = new Set([
  'at',
  'token',
  'from',
  'to',
  'closingSince',
  'startedAt',
  'quietFrom',
  'finishAt',
  'endedAt',
]);

/** JSON with bigints as decimal strings. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, field: unknown) => (typeof field === 'bigint' ? String(field) : field),
    indent,
  );
}

/** Parses what `toJson` wrote; the caller asserts its type. */
export function fromJson(text: string): unknown {
  return JSON.parse(text, (key, field: unknown) =>
    BIGINT_FIELDS.has(key) && typeof field === 'string' ? BigInt(field) : field,
  );
}

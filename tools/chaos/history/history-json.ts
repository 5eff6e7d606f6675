/** The fields that are 64 bits wide; JSON has no numbers for them. */
const WIDE = new Set(['at', 'token', 'from', 'to', 'startedAt', 'calmAt', 'finishAt', 'endedAt']);

/** JSON with 64-bit numbers as decimal strings. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, field: unknown) => (typeof field === 'bigint' ? String(field) : field),
    indent,
  );
}

/** What `toJson` wrote; the caller knows what that was. */
export function fromJson(text: string): unknown {
  return JSON.parse(text, (key, field: unknown) =>
    WIDE.has(key) && typeof field === 'string' ? BigInt(field) : field,
  );
}

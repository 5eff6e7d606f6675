/** The data of a semaphore's lock path: its number of permits, as decimal text. */
export function permitsData(permits: number): Buffer {
  return Buffer.from(String(permits));
}

/** Undefined for data that are not a number of permits: those of a path that no semaphore has used yet. */
export function readPermits(data: Buffer): number | undefined {
  const text = data.toString('latin1');
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

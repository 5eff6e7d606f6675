/** Longest backoff between two tries, ms: a held lock has to be recovered well before its deadline. */
export function backoffCap(sessionTimeout: number): number {
  return Math.min(1_000, sessionTimeout / 8);
}

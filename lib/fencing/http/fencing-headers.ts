import { writerToken, type FencedWrite } from '../fenced-write.js';

/** Name of the request header. */
export const FENCING_TOKEN_HEADER = 'Fencing-Token';

/**
 * The header with which a request to a guarded resource carries the token of a held lock.
 *
 * @param held the lock that the work holds; also the state of a leader
 * @throws LockConfigurationError if others may hold the lock at the same time: with `mode` `read` or `semaphore`
 * @publicApi
 * @example
 * await fetch(`${accounts}/${id}/balance`, {
 *   method: 'PUT',
 *   headers: { ...fencingHeaders(held), 'Content-Type': 'application/json' },
 *   body: JSON.stringify({ balance }),
 *   signal: held.signal,
 * });
 */
export function fencingHeaders(held: Omit<FencedWrite, 'resource'>): Record<'Fencing-Token', string> {
  return { [FENCING_TOKEN_HEADER]: String(writerToken(held)) };
}

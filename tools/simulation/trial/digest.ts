import { createHash } from 'node:crypto';
import { toJson } from '../../history/history-json.js';
import type { RunHistory } from '../../history/run-history.js';

/** The SHA-256 of all that a run has recorded. */
export function digestOf(history: RunHistory): string {
  return createHash('sha256').update(toJson(history)).digest('hex');
}

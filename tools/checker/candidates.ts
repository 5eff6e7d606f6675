import { candidateOf } from '../history/names.js';
import type { ProcessEvent } from '../history/process-event.js';

type AttemptEvent = Extract<ProcessEvent, { readonly attempt: string }>;

const ENDS_OF_HOLDS = new Set(['released', 'ttlExpired', 'lost']);

/**
 * The library names the candidate in its events, and does not know its rounds: gives each of these events the name of its
 * round. The end of a hold is an event that may come when the candidate waits again already.
 */
export function withRoundNames(events: readonly AttemptEvent[]): AttemptEvent[] {
  const current = new Map<string, string>();
  const acquired = new Map<string, string>();
  return events.map((event) => {
    const candidate = candidateOf(event.attempt);
    if (candidate === undefined) return event;
    if (event.what === 'asked') current.set(candidate, event.attempt);
    if (event.what !== 'emitted') return event;
    const round = (ENDS_OF_HOLDS.has(event.event) ? acquired : current).get(candidate);
    if (round === undefined) return event;
    if (event.event === 'acquired') acquired.set(candidate, round);
    return { ...event, attempt: round };
  });
}

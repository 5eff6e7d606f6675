import { milliseconds, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { Health, sessionMs } from './health.js';
import { isByHand } from './liveness.js';
import { Stalls } from './stalls.js';
import type { Violation } from './violation.js';

/** Of the session timeout. A connection without replies is closed before. */
const LONGEST_SILENCE_SHARE = 1 / 2;
/**
 * Replies come in the order of the requests. While those to earlier ones come, there is contact, although a slow disk and a slow
 * network delay all of them, those of a second request included: by so much, ms.
 */
const LONGEST_DELAY_MS = 2_000;

/**
 * L1: a release returns at once, unless something is disturbed. Even then, a call with work waits for the reply only as long as
 * it has contact.
 */
export function* releases(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const health = new Health(history);
  const stalls = new Stalls(history);
  for (const attempt of attempts) {
    const { name, process, resource, asked } = attempt;
    const [releasing] = eventsOf(attempt, 'releasing');
    const [released] = eventsOf(attempt, 'released');
    if (releasing === undefined || released === undefined) continue;
    const ms = milliseconds(released.at - releasing.at);
    const tolerance = stalls.tolerance(asked.actor, releasing.at, released.at);
    if (ms <= tolerance || ms <= tolerance + longestWait(attempt, releasing.at, released.at, history, health))
      continue;
    const sentence = `${name}, a ${asked.verb} of '${resource}', was released ${Math.round(ms)} ms after the end of its work`;
    yield { invariant: 'L1', sentence, at: released.at, attempts: [name], processes: [process] };
  }
}

/** How long the release may wait for a server, ms. */
function longestWait(
  { asked, process, incarnation }: Attempt,
  from: bigint,
  to: bigint,
  { run }: RunHistory,
  health: Health,
): number {
  const session = sessionMs(incarnation, run);
  const since = from - nanoseconds(session);
  if (health.ofServers(since, to) && health.ofProcess(process, since, to)) return 0;
  return isByHand(asked) ? Infinity : Math.max(session * LONGEST_SILENCE_SHARE, LONGEST_DELAY_MS);
}

import { milliseconds, nanoseconds } from '../history/moments.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { Health, sessionMs } from './health.js';
import { later, type Interval } from './intervals.js';
import { isByHand } from './liveness.js';
import { Silences } from './silences.js';
import { Stalls } from './stalls.js';
import type { Violation } from './violation.js';

/** Of the session timeout. A connection without replies is closed before. */
const LONGEST_SILENCE_SHARE = 1 / 2;
/**
 * While replies to earlier requests come, there is contact, although a slow disk and a slow network delay all of them, those
 * of a second request included: by so much, ms.
 */
const LONGEST_DELAY_MS = 2_000;

/**
 * L1: a release returns at once, unless something is disturbed. Even then, a call with work waits for the reply only as long as
 * it has contact.
 */
export function* releases(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const health = new Health(history);
  const silences = new Silences(history);
  const stalls = new Stalls(history);
  for (const attempt of attempts) {
    const { name, process, resource, asked } = attempt;
    const [releasing] = eventsOf(attempt, 'releasing');
    const [released] = eventsOf(attempt, 'released');
    if (releasing === undefined || released === undefined) continue;
    const ms = milliseconds(released.at - releasing.at);
    const tolerance = stalls.tolerance(asked.actor, releasing.at, released.at);
    if (ms <= tolerance) continue;
    const wait: Interval = { from: releasing.at, to: released.at };
    if (ms <= tolerance + longestWait(attempt, wait, history, health, silences)) continue;
    const sentence = `${name}, a ${asked.verb} of '${resource}', was released ${Math.round(ms)} ms after the end of its work`;
    yield { invariant: 'L1', sentence, at: released.at, attempts: [name], processes: [process] };
  }
}

/** How long the release may wait for a server, ms. */
function longestWait(
  { asked, process, incarnation }: Attempt,
  { from, to }: Interval,
  { run }: RunHistory,
  health: Health,
  silences: Silences,
): number {
  const session = sessionMs(incarnation, run);
  const since = from - nanoseconds(session);
  if (health.ofServers(since, to) && health.ofProcess(process, since, to)) return 0;
  if (isByHand(asked)) return Infinity;
  const inContact = Math.max(session * LONGEST_SILENCE_SHARE, LONGEST_DELAY_MS);
  // Of several sessions, the lock's own may be in contact while the process is suspended.
  if (incarnation?.hasOneSession !== true) return inContact;
  const silence = silences.of(asked.actor).find((one) => one.from <= to && one.to > from);
  return silence === undefined
    ? inContact
    : Math.min(inContact, milliseconds(later(silence.from, from) - from));
}

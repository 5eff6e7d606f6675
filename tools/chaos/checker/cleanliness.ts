import type { ChaosHistory } from '../history/chaos-history.js';
import { attemptOf, processOf } from '../history/names.js';
import type { Violation } from './violation.js';

/** C1: nothing is left when everybody has finished; processes end by themselves, and nothing goes unhandled. */
export function* cleanliness({ run, lives, events, aftermath }: ChaosHistory): Generator<Violation> {
  const remains = (sentence: string): Violation => ({
    invariant: 'C1',
    sentence,
    at: run.endedAt,
    attempts: [],
    processes: [],
  });
  for (const contender of aftermath.contenders)
    yield { ...remains(`contender ${contender} is left`), attempts: ownersOf(contender) };
  for (const watches of aftermath.watches) yield remains(`watches are left on ${watches}`);
  for (const path of aftermath.lockPaths) yield remains(`lock path ${path} is left`);
  const left = new Set(events.flatMap((event) => (event.what === 'left' ? [event.actor] : [])));
  for (const { actor, end, detail, to } of lives) {
    if (end === 'closed' || end === 'shutDown' || end === 'killed' || left.has(actor)) continue;
    const what = end === 'crashed' ? `ended by itself: ${detail ?? ''}` : 'let everything go and did not end';
    yield { ...remains(`${actor} ${what}`), at: to, processes: [processOf(actor)] };
  }
  for (const event of events) {
    if (event.what !== 'unhandled') continue;
    const sentence = `${event.actor} did not handle: ${event.detail}`;
    yield { ...remains(sentence), at: event.at, processes: [processOf(event.actor)] };
  }
}

/** The attempt is named in the contender's record. */
function ownersOf(contender: string): string[] {
  const [owner, purpose] = ['owner', 'purpose'].map(
    (key) => new RegExp(`"${key}":"([^"]+)"`).exec(contender)?.[1],
  );
  const attempt = attemptOf({ owner, purpose });
  return attempt === undefined ? [] : [attempt];
}

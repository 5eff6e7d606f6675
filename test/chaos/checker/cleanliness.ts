import type { ChaosHistory } from '../history/chaos-history.js';
import { processOf } from '../history/moments.js';
import type { Violation } from './violation.js';

/** C1: nothing is left when everybody has finished; processes end by themselves, and nothing goes unhandled. */
export function* cleanliness({ run, lives, events, aftermath }: ChaosHistory): Generator<Violation> {
  const left = (sentence: string): Violation => ({
    invariant: 'C1',
    sentence,
    at: run.endedAt,
    attempts: [],
    processes: [],
  });
  for (const contender of aftermath.contenders)
    yield { ...left(`contender ${contender} is left`), attempts: ownersOf(contender) };
  for (const watches of aftermath.watches) yield left(`watches are left on ${watches}`);
  for (const path of aftermath.lockPaths) yield left(`lock path ${path} is left`);
  for (const { actor, end, detail, to } of lives) {
    if (end === 'closed' || end === 'killed') continue;
    const what = end === 'crashed' ? `ended by itself: ${detail ?? ''}` : 'let everything go and did not end';
    yield { ...left(`${actor} ${what}`), at: to, processes: [processOf(actor)] };
  }
  for (const event of events) {
    if (event.what !== 'unhandled') continue;
    const sentence = `${event.actor} did not handle: ${event.detail}`;
    yield { ...left(sentence), at: event.at, processes: [processOf(event.actor)] };
  }
}

/** The attempt is the owner in the contender's record. */
function ownersOf(contender: string): string[] {
  const owner = /"owner":"([^"]+)"/.exec(contender)?.[1];
  return owner === undefined ? [] : [owner];
}

import type { RunHistory } from '../history/run-history.js';
import { attemptOf, processOf } from '../history/names.js';
import type { Violation } from './violation.js';

/** C1: nothing remains after all processes have finished; processes exit without being killed and handle all errors. */
export function* cleanliness({ run, incarnations, events, finalState }: RunHistory): Generator<Violation> {
  const leak = (sentence: string): Violation => ({
    invariant: 'C1',
    sentence,
    at: run.endedAt,
    attempts: [],
    processes: [],
  });
  for (const contender of finalState.contenders)
    yield { ...leak(`contender ${contender} was not deleted`), attempts: ownersOf(contender) };
  for (const watches of finalState.watches) yield leak(`watches were not removed on ${watches}`);
  for (const path of finalState.lockPaths) yield leak(`lock path ${path} was not deleted`);
  const exited = new Set(events.flatMap((event) => (event.what === 'exited' ? [event.actor] : [])));
  for (const { actor, end, detail, to } of incarnations) {
    if (end === 'closed' || end === 'shutDown' || end === 'killed' || exited.has(actor)) continue;
    const what = end === 'crashed' ? `crashed: ${detail ?? ''}` : 'was closed and did not exit';
    yield { ...leak(`${actor} ${what}`), at: to, processes: [processOf(actor)] };
  }
  for (const event of events) {
    if (event.what !== 'unhandled') continue;
    const sentence = `${event.actor} did not handle: ${event.detail}`;
    yield { ...leak(sentence), at: event.at, processes: [processOf(event.actor)] };
  }
}

/** The attempt that the contender's record names. */
function ownersOf(contender: string): string[] {
  const [path = ''] = contender.split(' ');
  const [owner, purpose] = ['owner', 'purpose'].map(
    (key) => new RegExp(`"${key}":"([^"]+)"`).exec(contender)?.[1],
  );
  const attempt = attemptOf({ owner, purpose }, path.split('/').at(-2) ?? '');
  return attempt === undefined ? [] : [attempt];
}

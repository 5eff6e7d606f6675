import type { RunHistory } from '../history/run-history.js';
import { groupBy } from '../history/group-by.js';
import { nanoseconds } from '../history/moments.js';
import type { ProcessEventOf } from '../history/process-event.js';

/** A stall is recorded after the event that it delayed. */
const RECORDED_WITHIN = nanoseconds(1_000);

/** The times in which processes were stalled, which extend the bounds of what they did. */
export class Stalls {
  readonly #byActor: Map<string, ProcessEventOf<'lagged'>[]>;

  constructor({ events }: Pick<RunHistory, 'events'>) {
    const lags = events.filter((event): event is ProcessEventOf<'lagged'> => event.what === 'lagged');
    this.#byActor = groupBy(lags, ({ actor }) => actor);
  }

  /** How long `actor` was stalled between the two times, in ms; an upper bound. */
  between(actor: string, from: bigint, to: bigint): number {
    return (this.#byActor.get(actor) ?? [])
      .filter(({ at, ms }) => at > from && at - nanoseconds(ms) < to + RECORDED_WITHIN)
      .reduce((sum, { ms }) => sum + ms, 0);
  }
}

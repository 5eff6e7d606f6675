import type { ChaosHistory } from '../history/chaos-history.js';
import { groupBy } from '../history/group-by.js';
import { nanoseconds } from '../history/moments.js';
import type { ProcessEventOf } from '../history/process-event.js';

/** A standstill is noted after the event that it delayed. */
const NOTED_WITHIN = nanoseconds(1_000);

/** The times in which processes stood still: nobody is late while the clock runs without him. */
export class Standstills {
  readonly #ofActors: Map<string, ProcessEventOf<'lagged'>[]>;

  constructor({ events }: Pick<ChaosHistory, 'events'>) {
    const lags = events.filter((event): event is ProcessEventOf<'lagged'> => event.what === 'lagged');
    this.#ofActors = groupBy(lags, ({ actor }) => actor);
  }

  /** How long `actor` stood still between the two, ms; rather too much than too little. */
  between(actor: string, from: bigint, to: bigint): number {
    return (this.#ofActors.get(actor) ?? [])
      .filter(({ at, ms }) => at > from && at - nanoseconds(ms) < to + NOTED_WITHIN)
      .reduce((sum, { ms }) => sum + ms, 0);
  }
}

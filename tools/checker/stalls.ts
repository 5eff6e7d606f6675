import { groupBy } from '../history/group-by.js';
import { nanoseconds } from '../history/moments.js';
import type { ProcessEventOf } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';

/** The times in which processes were stalled, which extend the bounds of what they did. */
export class Stalls {
  readonly #byActor: Map<string, ProcessEventOf<'lagged'>[]>;

  constructor(private readonly history: Pick<RunHistory, 'events' | 'run'>) {
    const lags = history.events.filter((event): event is ProcessEventOf<'lagged'> => event.what === 'lagged');
    this.#byActor = groupBy(lags, ({ actor }) => actor);
  }

  /** How late `actor` may be with what is due between the two times, in ms; an upper bound. */
  tolerance(actor: string, from: bigint, to: bigint): number {
    return this.history.run.precision.noise + this.duration(actor, from, to);
  }

  /** How long the stalls of `actor` lasted that overlap with this time, in ms. */
  duration(actor: string, from: bigint, to: bigint): number {
    const { stallRecordedWithin } = this.history.run.precision;
    return (this.#byActor.get(actor) ?? [])
      .filter(({ at, ms }) => at > from && at - nanoseconds(ms) < to + nanoseconds(stallRecordedWithin))
      .reduce((sum, { ms }) => sum + ms, 0);
  }
}

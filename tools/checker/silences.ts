import { groupBy } from '../history/group-by.js';
import type { ProcessEventOf } from '../history/process-event.js';
import type { Incarnation, RunHistory } from '../history/run-history.js';
import type { Interval } from './intervals.js';

/**
 * When processes had no connection, and reached no server that told them the end of their session. A real process may have been
 * connected before its events were recorded. Of clients of other libraries, nothing is known.
 */
export class Silences {
  readonly #ofActors: ReadonlyMap<string, readonly Interval[]>;

  constructor(history: RunHistory) {
    const connections = groupBy(
      history.events.filter((event) => event.what === 'connection'),
      ({ actor }) => actor,
    );
    const ours = history.incarnations.filter(({ foreign }) => foreign !== true);
    this.#ofActors = new Map(
      ours.map((one) => [one.actor, silences(one, connections.get(one.actor) ?? [], history)] as const),
    );
  }

  of(actor: string): readonly Interval[] {
    return this.#ofActors.get(actor) ?? [];
  }
}

function silences(
  { from, to }: Incarnation,
  connections: readonly ProcessEventOf<'connection'>[],
  { run }: RunHistory,
): Interval[] {
  const found: Interval[] = [];
  let since: bigint | undefined = run.precision.isVirtual ? from : undefined;
  for (const { state, at } of connections) {
    if (since !== undefined && state !== 'suspended') found.push({ from: since, to: at });
    if (state === 'ready' || state === 'resumed') since = undefined;
    else if (state === 'sessionExpired') since = at;
    else since ??= at;
  }
  return since === undefined ? found : [...found, { from: since, to }];
}

import type { Member } from './member.js';
import type { SimulatedEnsemble } from './simulated-ensemble.js';

/** The ensembles of a run, which know nothing of each other. The names of all their servers differ. */
export class Ensembles {
  constructor(readonly all: readonly [SimulatedEnsemble, ...SimulatedEnsemble[]]) {}

  get names(): readonly string[] {
    return this.all.flatMap(({ names }) => names);
  }

  /** The members whose processes run. */
  get members(): readonly Member[] {
    return this.all.flatMap(({ members }) => members);
  }

  /** The ensemble of a server. */
  of(server: string): SimulatedEnsemble {
    const found = this.all.find(({ names }) => names.includes(server));
    if (found === undefined) throw new RangeError(`Unknown server: ${server}`);
    return found;
  }
}

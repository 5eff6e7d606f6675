import type { Incarnation } from '../../history/run-history.js';
import { isSimple, pathOf, leaderOf, type DirectAccess } from './direct-access.js';
import { ForeignContender, type ForeignName } from './foreign-contender.js';
import type { World } from './world.js';

/** The clients of other libraries, one for each of their contenders. */
export class Foreigners {
  readonly #contenders: ForeignContender[] = [];

  constructor(
    private readonly world: World,
    private readonly access: DirectAccess,
  ) {}

  get incarnations(): Incarnation[] {
    return this.#contenders.map(({ incarnation }) => incarnation);
  }

  /** Queues for a resource whose lock path exists; undefined if there is no such path. */
  contend(resource: string, name: ForeignName): ForeignContender | undefined {
    const path = pathOf(resource);
    const ensemble = this.access.ensembleWith(path);
    if (ensemble === undefined || isSimple(path, leaderOf(ensemble))) return undefined;
    const actor = `f${this.#contenders.length + 1}.1`;
    const contender = new ForeignContender(actor, resource, name, ensemble, this.access, this.world);
    this.#contenders.push(contender);
    return contender;
  }
}

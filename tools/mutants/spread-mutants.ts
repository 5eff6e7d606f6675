import type { Mutant } from './mutant.js';

const SPREAD = 'test/locks/spread.server.spec.ts';
const DOWN = 'test/faults/ensemble-down.server.spec.ts';

/** Several ensembles that share the locks of a service. */
export const SPREAD_MUTANTS: readonly Mutant[] = [
  {
    name: 'ensembles by another hash',
    undoes: 'all versions find a lock on the same ensemble',
    file: 'lib/zookeeper/spread/ensemble-of.ts',
    from: 'update(`${ensemble}:${resource}`)',
    to: 'update(`${resource}:${ensemble}`)',
    specs: ['test/unit/ensemble-of.spec.ts'],
  },
  {
    name: 'any list of ensembles',
    undoes: 'a replica with another list has no lock',
    file: 'lib/zookeeper/recipe/ensemble-marker.ts',
    from: 'return place !== undefined && place.ensemble === this.place?.ensemble && place.of === this.place.of;',
    to: 'return place !== undefined;',
    specs: [SPREAD],
  },
  {
    name: 'locks before the marker',
    undoes: 'a lazy service with another list has no lock either',
    file: 'lib/zookeeper/recipe/lock-recipe.ts',
    from: 'await this.context.checkMarker(node.session, this.request.abort);',
    to: 'this.context.checkMarker(node.session, this.request.abort).catch(() => {});',
    specs: [SPREAD],
  },
  {
    name: 'the marker read once',
    undoes: 'an ensemble that has lost its data is marked again before the next grant',
    file: 'lib/zookeeper/recipe/ensemble-marker.ts',
    from: 'this.#checked.add(session);',
    to: 'this.check = async () => {};',
    specs: [DOWN],
  },
  {
    name: 'ready with the first ensemble',
    undoes: 'contact is reported when all ensembles have it',
    file: 'lib/zookeeper/session/contact-reports.ts',
    from: 'this.#unattached = new Set(permanent);',
    to: 'this.#unattached = new Set();',
    specs: ['test/unit/contact-reports.spec.ts', DOWN],
  },
];

import type { Mutant } from './mutant.js';

const ORDER = 'lib/zookeeper/recipe/contender-queue.ts';
const specs = ['test/unit/reader-order.spec.ts'];

/** Who shares a lock with whom. */
export const MODE_MUTANTS: readonly Mutant[] = [
  {
    name: 'readers wait for nobody',
    undoes: 'a reader waits for every earlier writer, whether that holds the lock or waits',
    file: ORDER,
    from: 'if (shares && readers.has(other)) continue;',
    to: 'if (shares) continue;',
    specs,
  },
  {
    name: 'writers share',
    undoes: 'a writer waits for every earlier reader',
    file: ORDER,
    from: 'if (shares && readers.has(other)) continue;',
    to: 'if (readers.has(other)) continue;',
    specs,
  },
  {
    name: 'holders count as waiters',
    undoes: 'readers that hold the lock together do not count for maxWaiters',
    file: 'lib/zookeeper/recipe/lock-recipe.ts',
    from: 'const waiters = place.ahead - place.holders;',
    to: 'const waiters = place.ahead - 1;',
    specs: ['test/locks/readers-writers.server.spec.ts'],
  },
  {
    name: 'a reader as former head',
    undoes: 'nobody follows a reader without a list, because earlier readers may still hold the lock',
    file: 'lib/zookeeper/recipe/zookeeper-grant.ts',
    from: "if (mode === 'read') return;",
    to: '',
    specs: ['test/locks/readers-writers.server.spec.ts'],
  },
  {
    name: 'no refused conversion',
    undoes: 'code that would wait for itself is refused (H18)',
    file: 'lib/locking/acquisition.ts',
    from: 'this.#refuseConversion();',
    to: '',
    specs: ['test/locks/readers-writers.server.spec.ts'],
  },
];

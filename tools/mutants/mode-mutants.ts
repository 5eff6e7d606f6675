import type { Mutant } from './mutant.js';

const ORDER = 'lib/zookeeper/recipe/contender-queue.ts';
const specs = ['test/unit/reader-order.spec.ts'];
const semaphores = ['test/locks/semaphores.server.spec.ts'];

/** Who shares a lock with whom. */
export const MODE_MUTANTS: readonly Mutant[] = [
  {
    name: 'readers wait for nobody',
    undoes: 'a reader waits for every earlier writer, whether that holds the lock or waits',
    file: ORDER,
    from: 'if (shares && this.#modes[other] === mode) {',
    to: "if (mode === 'read') {",
    specs,
  },
  {
    name: 'writers share',
    undoes: 'a writer waits for every earlier reader',
    file: ORDER,
    from: 'if (shares && this.#modes[other] === mode) {',
    to: "if (this.#modes[other] === 'read' || (shares && this.#modes[other] === mode)) {",
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
    undoes: 'nobody follows a reader without a list while earlier readers may still hold the lock',
    file: 'lib/zookeeper/recipe/contender-grant.ts',
    from: 'ahead + behind === 0',
    to: '0 * ahead + behind === 0',
    specs: ['test/locks/readers-writers.server.spec.ts'],
  },
  {
    name: 'writers that readers do not see',
    undoes: 'no reader joins others of its process when a writer is queued behind them',
    file: 'lib/zookeeper/recipe/contender-grant.ts',
    from: "if (mode === 'read') return contenders.filter((name) => modeOf(name) !== mode).length;",
    to: "if (mode === 'read') return 0;",
    specs: ['test/locks/shared-readers.server.spec.ts'],
  },
  {
    name: 'one permit too many',
    undoes: 'no more hold a semaphore than there are permits',
    file: ORDER,
    from: 'peers.length - permits + 1',
    to: 'peers.length - permits',
    specs: semaphores,
  },
  {
    name: 'only the holder before it',
    undoes: 'a waiter for a permit is woken by whichever holder leaves (H19)',
    file: ORDER,
    from: '.slice(0, isDecisive ? undefined : permits)',
    to: '.slice(0, 1)',
    specs: semaphores,
  },
  {
    name: 'permits not agreed',
    undoes: 'all holders of a semaphore have named the same number of permits',
    file: 'lib/zookeeper/recipe/queue-position.ts',
    from: 'if (list.permits !== this.request.permits) {',
    to: 'if (false as boolean) {',
    specs: semaphores,
  },
  {
    name: 'permits agreed by the first list alone',
    undoes: 'another number of permits is refused while the lock is in use',
    file: 'lib/zookeeper/recipe/lock-recipe.ts',
    from: 'if (immediate || seen !== permits) await agreeOnPermits(node, permits, this.context.parents);',
    to: '',
    specs: semaphores,
  },
  {
    name: 'a new number of permits wakes nobody',
    undoes: 'waiters learn of more permits at once',
    file: 'lib/zookeeper/recipe/departures.ts',
    from: 'const listener = this.#nodes.listen(lockPath);',
    to: 'this.#nodes.listen(lockPath); const listener = (): void => {};',
    specs: semaphores,
  },
  {
    name: 'permits believed after their watch has fired',
    undoes: 'the number of permits is certain only until the watch on it has fired',
    file: 'lib/zookeeper/recipe/watched-permits.ts',
    from: 'if (watches.get(lockPath)?.listeners === listeners) watches.delete(lockPath);',
    to: '',
    specs: ['test/unit/watched-permits.spec.ts'],
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

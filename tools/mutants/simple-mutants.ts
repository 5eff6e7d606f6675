import type { Mutant } from './mutant.js';

const specs = ['test/locks/simple.server.spec.ts'];
const faults = ['locks', 'next-holder', 'waiters'].map((spec) => `test/faults/simple-${spec}.server.spec.ts`);

/** Locks without a queue, whose holders all have nodes of the same path. */
export const SIMPLE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a path deleted twice',
    undoes: 'a delete whose reply was lost is repeated only if the node is still the own one',
    file: 'lib/zookeeper/recipe/contender-cleanup.ts',
    from: 'if (node.isPathReused) path = undefined;',
    to: '',
    specs: ['test/unit/contender-cleanup.spec.ts', ...faults],
  },
  {
    name: 'a delete without a look after a reconnection',
    undoes:
      'after a lost connection, the node is read before it is deleted: an operator may have deleted it meanwhile',
    file: 'lib/zookeeper/recipe/simple-node.ts',
    from: "priority === 'grant' && this.#isUninterrupted ?",
    to: "priority === 'grant' && (this.#isUninterrupted || priority === 'grant') ?",
    specs: faults,
  },
  {
    name: 'a lost node deleted',
    undoes: 'nothing is deleted after an operator has deleted the node, which may be that of the next holder',
    file: 'lib/zookeeper/recipe/zookeeper-grant.ts',
    from: "if (reason === 'deleted') this.node.vanished();",
    to: '',
    specs: faults,
  },
  {
    name: 'any node watched',
    undoes: 'a holder that reads the node of the next one has lost its own',
    file: 'lib/zookeeper/recipe/zookeeper-grant.ts',
    from: 'if (!this.node.isThis(stat)) {',
    to: 'if (false as boolean) {',
    specs: faults,
  },
  {
    name: 'the node of another adopted',
    undoes: 'after a lost reply, a node is adopted only if it is of the same attempt (H01, H02)',
    file: 'lib/zookeeper/recipe/simple-node.ts',
    from: 'isOfAttempt(data, this.#attempt)',
    to: '(isOfAttempt(data, this.#attempt) || data.length > 0)',
    specs: faults,
  },
  {
    name: 'no barrier before a look at the one node',
    undoes: 'the look-up follows a committed write (H02)',
    file: 'lib/zookeeper/recipe/simple-node.ts',
    from: 'await client.commit(bounds);',
    to: '',
    specs: faults,
  },
  {
    name: 'a holder without a watch',
    undoes: 'a waiter is told when the holder leaves',
    file: 'lib/zookeeper/recipe/holder-watch.ts',
    from: '{ ...bounds, watch }',
    to: '{ ...bounds, watch: watch && undefined }',
    specs,
  },
  {
    name: 'a watch on the holder kept',
    undoes: 'a waiter that gives up removes its watch (H15)',
    file: 'lib/zookeeper/recipe/holder-watch.ts',
    from: "if (this.#isSet) this.node.session.client.removeWatch(this.node.path, 'data', this.#listener);",
    to: '',
    specs: faults,
  },
  {
    name: 'a lock path taken for a holder',
    undoes: 'a lock path that nobody uses any more makes room for a lock without a queue',
    file: 'lib/zookeeper/recipe/simple-data.ts',
    from: 'return ephemeralOwner !== 0n;',
    to: 'return ephemeralOwner >= 0n;',
    specs,
  },
  {
    name: 'a try for each caller',
    undoes: 'callers of one process share one try where there is no queue',
    file: 'lib/locking/local-queue/local-queues.ts',
    from: "return fair ? mode : 'unfair';",
    to: 'return fair ? mode : undefined;',
    specs: ['test/faults/simple-waiters.server.spec.ts'],
  },
  {
    name: 'nobody else where nobody knows',
    undoes: 'a process without a queue competes again when it has served those who waited',
    file: 'lib/zookeeper/recipe/zookeeper-grant.ts',
    from: "readonly behind: Others = 'some';",
    to: 'readonly behind: Others = 0;',
    specs: ['test/faults/simple-waiters.server.spec.ts'],
  },
  {
    name: 'a simple node left behind',
    undoes: 'every attempt that ends without a grant deletes its node (H03, H04)',
    file: 'lib/zookeeper/recipe/simple-lock.ts',
    from: "if (!granted) void node.leave('queue');",
    to: '',
    specs: faults,
  },
  {
    name: 'a lock path removed by a plain delete',
    undoes: 'who removes an unused lock path does not delete the node that has taken its place',
    file: 'lib/zookeeper/recipe/lock-parents.ts',
    from: 'await client.transact(',
    to: "await client.delete(path, bounds);\n      if (path !== '') return 'removed';\n      await client.transact(",
    specs: faults,
  },
];

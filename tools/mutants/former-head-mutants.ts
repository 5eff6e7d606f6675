import type { Mutant } from './mutant.js';

/** How the reply to a create proves that a contender is the head of its queue. */
export const FORMER_HEAD_MUTANTS: readonly Mutant[] = [
  {
    name: 'joined in between',
    undoes: 'a contender is the head without a list only if its number follows that of a former head',
    file: 'lib/zookeeper/recipe/former-head.ts',
    from: 'return sequence - former.children === sequenceOf(former.name) &&',
    to: 'return',
    specs: ['test/unit/former-head.spec.ts', 'test/locks/former-head.server.spec.ts'],
  },
  {
    name: 'any number 0',
    undoes: 'number 0 proves that a contender is the first only on a lock path that was missing before (H20)',
    file: 'lib/zookeeper/recipe/contender-node.ts',
    from: '(this.#isPathNew && isFirst(this.name))',
    to: 'isFirst(this.name)',
    specs: ['test/unit/contender-node.spec.ts'],
  },
  {
    name: 'numbers that have restarted',
    undoes: 'there are fewer transactions between two contenders than a lock path that was made again needs',
    file: 'lib/zookeeper/recipe/former-head.ts',
    from: '&& isRecent(former, sequence, czxid)',
    to: '',
    specs: ['test/unit/former-head.spec.ts', 'test/locks/former-head.server.spec.ts'],
  },
  {
    name: 'a head of the connection before',
    undoes: 'a former head is forgotten with the connection that has told of it',
    file: 'lib/zookeeper/recipe/path-memory.ts',
    from: 'disconnected: () => known.clear()',
    to: '',
    specs: ['test/locks/former-head.server.spec.ts'],
  },
  {
    name: 'a waiter that left as head',
    undoes: 'only a contender that was the head proves anything about the next one',
    file: 'lib/zookeeper/recipe/contender-node.ts',
    from: 'const mayBeUnused = this.#mayHaveMadePath',
    to: 'if (this.#name) this.context.formerHeads.put(session, lockPath, { name: this.name, czxid: this.#czxid, children: 1 });\n    const mayBeUnused = this.#mayHaveMadePath',
    specs: ['test/locks/former-head.server.spec.ts'],
  },
  {
    name: 'the node of a closed lock not counted',
    undoes: 'the node of a closed lock has a number of its own, so that nobody can hide behind it',
    file: 'lib/zookeeper/recipe/closing-lock.ts',
    from: 'formerHead: isAlone(place) ? { name, czxid, children: 2 } : undefined,',
    to: 'formerHead: isAlone(place) ? { name, czxid, children: 3 } : undefined,',
    specs: ['test/locks/former-head.server.spec.ts'],
  },
];

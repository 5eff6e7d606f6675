import type { Mutant } from './mutant.js';

const FAULTS = ['test/faults/fail-closed.server.spec.ts'];
const GRANT = ['test/unit/closed-grant.spec.ts'];
const LOCKS = ['test/locks/fail-closed.server.spec.ts'];
const REQUESTS = ['test/locks/release-requests.server.spec.ts'];

/** Of locks that fail closed. */
export const CLOSED_MUTANTS: readonly Mutant[] = [
  {
    name: 'no list behind a closing contender',
    undoes:
      'the node of a closed lock takes the place of its contender, whose deletion does not free the lock',
    file: 'lib/zookeeper/recipe/queue-position.ts',
    from: 'return isClosing(name) || ',
    to: 'return ',
    specs: LOCKS,
  },
  {
    name: 'closed without its contender',
    undoes: 'a contender that is gone does not close the lock',
    file: 'lib/zookeeper/recipe/close-lock.ts',
    from: "      { op: 'delete', path: contender.path },\n",
    to: '',
    specs: LOCKS,
  },
  {
    name: 'closed and forgotten',
    undoes: 'a closed lock whose grant came too late is freed again',
    file: 'lib/zookeeper/recipe/close-lock.ts',
    from: "context.closedRemovals.add(contender.leave('queue').then(() => grant().release().freed));",
    to: "context.closedRemovals.add(contender.leave('queue'));",
    specs: FAULTS,
  },
  {
    name: 'closed until its session ends',
    undoes: 'the end of its session does not lose a closed lock',
    file: 'lib/zookeeper/recipe/closed-grant.ts',
    from: "if (end === 'expired') void this.#move();",
    to: "if (end === 'expired') this.#lose('session');",
    specs: FAULTS,
  },
  {
    name: 'deaf to the end of a closed lock',
    undoes: 'the watch on the node of a closed lock loses it when somebody removes that',
    file: 'lib/zookeeper/recipe/closed-grant.ts',
    from: "if (type === 'deleted') this.#lose('deleted');\n    else if (type !== 'disconnected')",
    to: "if (type !== 'disconnected' && type !== 'deleted')",
    specs: LOCKS,
  },
  {
    name: 'held without any session to come',
    undoes: 'a closed lock is lost when there will never be a session again, also between two sessions',
    file: 'lib/zookeeper/recipe/closed-grant.ts',
    from: 'if (sessions.end !== undefined) this.#lose(SESSION_LOSS[sessions.end]);',
    to: '',
    specs: [...FAULTS, ...GRANT],
  },
  {
    name: 'taken over and freed unused',
    undoes: 'a call for several locks that fails leaves the failed locks closed that it has taken over',
    file: 'lib/locking/several/member-attempt.ts',
    from: '(held) => held.giveUp(),',
    to: '(held) => held.end(),',
    specs: LOCKS,
  },
  {
    name: 'freed under its work',
    undoes: 'a closed lock stays taken until its work ends, although another lock of the call is lost',
    file: 'lib/locking/hold-lifecycle.ts',
    from: " || (reason === 'together' && this.parts.failure === 'closed')",
    to: '',
    specs: LOCKS,
  },
  {
    name: 'followed into an ended session',
    undoes: 'a closed lock goes on, although the session that took it over has ended at that moment',
    file: 'lib/zookeeper/recipe/closed-grant.ts',
    from: "if (session.state === 'ended') return void this.#move();",
    to: '',
    specs: GRANT,
  },
  {
    name: 'adopted from anybody',
    undoes: 'a closed lock comes back only to its own owner',
    file: 'lib/zookeeper/recipe/adopt-lock.ts',
    from: "if (record === undefined || record.owner.owner !== owner.owner) return 'notOurs';",
    to: "if (record === undefined) return 'notOurs';",
    specs: LOCKS,
  },
  {
    name: 'the sign of another call removed',
    undoes: 'a call that gives up while it takes over a failed lock does not open it under another call',
    file: 'lib/zookeeper/recipe/adopt-lock.ts',
    from: 'if (record?.hold === id) return void',
    to: 'if (record !== undefined) return void',
    specs: FAULTS,
  },
  {
    name: 'taken over and kept by nobody',
    undoes: 'a call that gives up while it takes over a failed lock leaves it to the next one of its owner',
    file: 'lib/zookeeper/recipe/adopt-lock.ts',
    from: 'if (mayBeOurs) void withdraw();',
    to: 'if (mayBeOurs) admission.leave();',
    specs: FAULTS,
  },
  {
    name: 'given up without a check',
    undoes: 'a hold that is given up unused does not open the lock under a later hold',
    file: 'lib/zookeeper/recipe/closed-removal.ts',
    from: 'transact([node.check, node.holderDeletion])',
    to: 'transact([node.holderDeletion])',
    specs: GRANT,
  },
  {
    name: 'released whoever has it',
    undoes: 'a late release of a closed lock does not hit the owner who has taken it over elsewhere',
    file: 'lib/zookeeper/recipe/closed-node.ts',
    from: "return { op: 'delete', path: this.hold.path, version: this.#version };",
    to: "return { op: 'delete', path: this.hold.path };",
    specs: FAULTS,
  },
  {
    name: 'no sign of the holder in the next session',
    undoes: 'a closed lock is not taken over while its holder is there, in whatever session',
    file: 'lib/zookeeper/recipe/closed-node.ts',
    from: 'const replacement = isThere',
    to: 'if (!isThere) return true;\n        const replacement = isThere',
    specs: FAULTS,
  },
  {
    name: 'asked whoever has it',
    undoes: 'a late request to release a closed lock does not reach the next hold of the same owner',
    file: 'lib/zookeeper/recipe/request-release.ts',
    from: 'closedRevokeRequest(data), stat.version)',
    to: 'closedRevokeRequest(data), ANY_VERSION)',
    specs: REQUESTS,
  },
  {
    name: 'a request reported after the record is back',
    undoes: 'a request to release a closed lock is reported before the record comes back',
    file: 'lib/zookeeper/recipe/closed-node.ts',
    from: `    if (isRequested) this.#reportRequest();
    if (record === undefined || isRequested) await this.#restore(client);
`,
    to: `    if (record === undefined || isRequested) await this.#restore(client);
    if (isRequested) this.#reportRequest();
`,
    specs: FAULTS,
  },
  {
    name: 'not freed while its record comes back',
    undoes: 'a person frees a closed lock although its holder writes its record again',
    file: 'lib/zookeeper/recipe/force-release.ts',
    from: 'if (await remove(found)) return true;',
    to: 'return remove(found);',
    specs: FAULTS,
  },
  {
    name: 'a closed record lost to a request',
    undoes: 'the owner of a failed closed lock, and a person, get it back although somebody has asked for it',
    file: 'lib/zookeeper/recipe/request-release.ts',
    from: 'closedRevokeRequest(data), stat.version)',
    to: 'revokeRequest(), stat.version)',
    specs: REQUESTS,
  },
  {
    name: 'forced whatever the token',
    undoes: 'a person frees only the hold with the given token',
    file: 'lib/zookeeper/recipe/force-release.ts',
    from: 'if (readClosed(data)?.token === token) return { path, version: stat.version };',
    to: 'return { path, version: stat.version };',
    specs: LOCKS,
  },
  {
    name: 'a shutdown before the removal',
    undoes: 'a shutdown leaves no closed lock behind that nobody has worked under',
    file: 'lib/zookeeper/zookeeper-lock.provider.ts',
    from: 'await this.#context.closedRemovals.ended(CLOSE_TIMEOUT_MS);',
    to: '',
    specs: FAULTS,
  },
];

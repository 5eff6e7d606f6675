import type { Mutant } from './mutant.js';

/** Heartbeats, deadlines, and how many contenders one session carries. */
export const SESSION_MUTANTS: readonly Mutant[] = [
  {
    name: 'textbook deadline',
    undoes: 'an acknowledgement proves the heartbeat two before it (H31)',
    file: 'lib/zookeeper/session/session-deadline.ts',
    from: 'this.#provenBy(this.#sent[0]!)',
    to: 'this.#provenBy(this.#sent.at(-1)!)',
    specs: ['test/unit/session-deadline.spec.ts', 'test/faults/late-heartbeat.zookeeper.spec.ts'],
  },
  {
    name: 'heartbeats without a pause',
    undoes: 'the next heartbeat is sent half a tick after an acknowledgement (H31)',
    file: 'lib/zookeeper/session/heartbeat.ts',
    from: 'this.#schedule(clock.monotonic() + interval);',
    to: 'this.#schedule(Math.max(due + interval, clock.monotonic()));',
    specs: ['test/unit/heartbeat.spec.ts'],
  },
  {
    name: 'a hold revived after its deadline',
    undoes: 'a late reply does not extend a deadline that has passed (H32)',
    file: 'lib/zookeeper/session/server-session.ts',
    from: 'this.#notify((observer) => observer.deadlinePassed?.());',
    to: '',
    specs: ['test/faults/lost-locks.server.spec.ts'],
  },
  {
    name: 'silence since the heartbeat',
    undoes: 'any reply shows that the server still processes requests sent before the heartbeat (H62)',
    file: 'lib/zookeeper/session/heartbeat.ts',
    from: 'if (client.answeredAt > since) this.#limitSilence(client.answeredAt);\n      else this.#end();',
    to: 'this.#end();',
    specs: ['test/unit/heartbeat-trouble.spec.ts'],
  },
  {
    name: 'heartbeats without priority',
    undoes: 'a heartbeat is sent before all other requests (H62)',
    file: 'lib/zookeeper/session/heartbeat.ts',
    from: "client.commit({ priority: 'session' })",
    to: 'client.commit()',
    specs: ['test/unit/heartbeat-trouble.spec.ts'],
  },
  {
    name: 'no budget',
    undoes: 'the bytes of paths that one session carries are limited (H61)',
    file: 'lib/zookeeper/session/path-budget.ts',
    from: 'if (this.#used > 0 && this.#used + bytes > this.limit) return false;',
    to: '',
    specs: ['test/unit/session-pool.spec.ts', 'test/session/further-sessions.zookeeper.spec.ts'],
  },
  {
    name: 'room given back at once',
    undoes: 'a contender counts towards the budget until it is known to be gone (H61)',
    file: 'lib/zookeeper/recipe/contender-node.ts',
    from: 'const { parents, cleanup } = this.context;',
    to: 'this.admission.leave();\n    const { parents, cleanup } = this.context;',
    specs: ['test/unit/contender-node.spec.ts'],
  },
  {
    name: 'room never given back',
    undoes: 'a deleted contender no longer counts towards the budget (H61)',
    file: 'lib/zookeeper/recipe/contender-node.ts',
    from: 'this.admission.leave();',
    to: '',
    specs: ['test/unit/contender-node.spec.ts', 'test/session/further-sessions.zookeeper.spec.ts'],
  },
  {
    name: 'names of any length',
    undoes: 'the length of an escaped name is limited (H61)',
    file: 'lib/zookeeper/recipe/lock-path.ts',
    from: 'if (bytes <= MAX_ESCAPED_BYTES) return;',
    to: 'if ((true as boolean) || bytes <= MAX_ESCAPED_BYTES) return;',
    specs: ['test/unit/lock-path.spec.ts'],
  },
  {
    name: 'a guard that closes a stopped parent',
    undoes: 'silence does not prove death: a process that is stopped keeps its sessions',
    file: 'lib/zookeeper/guard/guard-duty.ts',
    from: 'this.#sessions.set(message.session.sessionId, message.session);',
    to:
      'this.#sessions.set(message.session.sessionId, message.session);\n' +
      'this.options.clock.setTimer(\n' +
      '  () => void this.options.closeSession(message.session, this.#process!, 1_000), 100, true);',
    specs: ['test/unit/guard-duty.spec.ts', 'test/locks/crash-guard.server.spec.ts'],
  },
  {
    name: 'a guard that trusts its pipe',
    undoes: 'the pipe of a guard ends also with the worker thread that opened it',
    file: 'lib/zookeeper/guard/guard-duty.ts',
    from: 'if (await this.#dies(guarded, deadline))',
    to: '',
    specs: ['test/unit/guard-duty.spec.ts', 'test/locks/crash-guard.server.spec.ts'],
  },
];

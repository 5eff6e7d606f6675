/** One handling of a hazard undone, and the specs that must notice. */
export interface Sabotage {
  readonly name: string;
  /** What is undone. */
  readonly undoes: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Arguments of vitest. */
  readonly specs: readonly string[];
}

export const SABOTAGES: readonly Sabotage[] = [
  {
    name: 'no adoption',
    undoes: 'a create whose reply was lost is looked up by its uuid (H01)',
    file: 'lib/zookeeper/queue/contender-node.ts',
    from: 'const children = outcome.mayHaveBeenApplied',
    to: 'const children = (false as boolean)',
    specs: ['test/faults/lost-replies.spec.ts'],
  },
  {
    name: 'no barrier',
    undoes: 'the look-up comes behind a committed write (H02)',
    file: 'lib/zookeeper/queue/contender-node.ts',
    from: 'await driver.commit({ signal });',
    to: '',
    specs: ['test/faults/lost-replies.spec.ts'],
  },
  {
    name: 'busy believed at once',
    undoes: 'a contender that is there for a lagging follower is looked at again behind a committed write',
    file: 'lib/zookeeper/queue/contenders-there.ts',
    from: 'if (seen.length === 0) return seen;',
    to: 'if ((true as boolean) || seen.length === 0) return seen;',
    specs: ['test/faults/busy.spec.ts'],
  },
  {
    name: 'no reaper',
    undoes: 'every attempt that ends without holding deletes its contender (H03, H04)',
    file: 'lib/zookeeper/queue/contender.ts',
    from: 'if (!granted) void node.leave();',
    to: '',
    specs: ['test/faults/lost-replies.spec.ts', 'test/faults/waiting.spec.ts'],
  },
  {
    name: 'one delete',
    undoes: 'a delete is sent again until the contender is certainly gone (H06)',
    file: 'lib/zookeeper/queue/reaper.ts',
    from: 'return session.reachable();',
    to: 'return false;',
    specs: ['test/faults/lost-replies.spec.ts'],
  },
  {
    name: 'no list after a wake',
    undoes: 'a predecessor gone is not yet my turn (H12)',
    file: 'lib/zookeeper/queue/contender.ts',
    from: 'const place = await this.#place(node, children);',
    to: "const place = announced ? ({ kind: 'head' } as const) : await this.#place(node, children);",
    specs: ['test/faults/waiting.spec.ts'],
  },
  {
    name: 'watches kept',
    undoes: 'a waiter that gives up takes its watch down (H15)',
    file: 'lib/zookeeper/queue/predecessor.ts',
    from: "driver.removeWatch(path, 'data', wake.watch);",
    to: '',
    specs: ['test/faults/waiting.spec.ts'],
  },
  {
    name: 'order of names',
    undoes: 'contenders are ordered by their number and not by their name (H21)',
    file: 'lib/zookeeper/queue/contender-order.ts',
    from: 'return contenders.sort((a, b) => sequenceOf(a)! - sequenceOf(b)!);',
    to: 'return contenders.sort();',
    specs: ['test/locks/lock-paths.spec.ts', 'test/unit/contender-order.spec.ts'],
  },
  {
    name: 'numbers trusted to their end',
    undoes: 'near 2^31 contenders are ordered by their creation (H20)',
    file: 'lib/zookeeper/queue/contender-order.ts',
    from: 'if (!trusted || new Set(sequences).size < sequences.length) return undefined;',
    to: '',
    specs: ['test/locks/sequence-overflow.spec.ts'],
  },
  {
    name: 'textbook deadline',
    undoes: 'an acknowledgement proves the heartbeat two before it (H31)',
    file: 'lib/zookeeper/session/session-lease.ts',
    from: 'this.#provenBy(this.#sent[0]!)',
    to: 'this.#provenBy(this.#sent.at(-1)!)',
    specs: ['test/unit/session-lease.spec.ts', 'test/faults/late-heartbeat.spec.ts'],
  },
  {
    name: 'heartbeats without a pause',
    undoes: 'half a tick lies between an acknowledgement and the next heartbeat (H31)',
    file: 'lib/zookeeper/session/heartbeat.ts',
    from: 'this.#schedule(clock.elapsed() + interval);',
    to: 'this.#schedule(Math.max(sentAt + interval, clock.elapsed()));',
    specs: ['test/unit/heartbeat.spec.ts'],
  },
  {
    name: 'a flag for a clock',
    undoes: 'isHeld is computed from the clock (H41)',
    file: 'lib/locking/held-lock.ts',
    from: 'if (this.#overdue() === undefined) return true;',
    to: 'if ((true as boolean) || this.#overdue() === undefined) return true;',
    specs: ['test/faults/stalled-process.spec.ts'],
  },
  {
    name: 'steps without a look at the clock',
    undoes: 'no code enters a lost hold, whatever a flag says (H63)',
    file: 'lib/locking/hold-guard.ts',
    from: 'this.check();\n    return runWithLock(this.held, code);',
    to: 'return runWithLock(this.held, code);',
    specs: [
      'test/unit/hold-guard.spec.ts',
      'test/unit/locked-generator.spec.ts',
      'test/unit/locked-observable.spec.ts',
    ],
  },
  {
    name: 'ended holds kept',
    undoes: 'an ended hold is skipped when a scope is entered (H64)',
    file: 'lib/locking/current-lock.ts',
    from: 'if (!scope.held.isHeld()) return outer;',
    to: '',
    specs: ['test/e2e/self-scheduling.e2e.spec.ts'],
  },
  {
    name: 'promises that keep holds',
    undoes: 'what a hold keeps is made outside of all holds (H64)',
    file: 'lib/locking/current-lock.ts',
    from: 'return scopes.run(undefined, work);',
    to: 'return work();',
    specs: ['test/e2e/self-scheduling.e2e.spec.ts'],
  },
  {
    name: 'no watch of the own node',
    undoes: 'a holder whose node is deleted is told (H36)',
    file: 'lib/zookeeper/queue/zookeeper-grant.ts',
    from: "if (type === 'deleted') this.#lose('deleted');",
    to: "if (type === 'deleted') return;",
    specs: ['test/faults/lost-locks.spec.ts'],
  },
  {
    name: 'a lapsed hold revived',
    undoes: 'what has lapsed stays lapsed (H32)',
    file: 'lib/zookeeper/session/server-session.ts',
    from: 'this.#notify((observer) => observer.lapsed?.());',
    to: '',
    specs: ['test/faults/lost-locks.spec.ts'],
  },
  {
    name: 'listeners kept',
    undoes: 'an attempt that has ended listens to its signal no more (H47)',
    file: 'lib/locking/acquisition.ts',
    from: 'stopListening?.();',
    to: '',
    specs: ['test/resources/resources.spec.ts', '-t', 'contended cycles'],
  },
];

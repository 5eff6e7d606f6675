import type { Mutant } from './mutant.js';

/** What callers can rely on while they hold a lock. */
export const LOCKING_MUTANTS: readonly Mutant[] = [
  {
    name: 'a flag instead of the clock',
    undoes: 'isHeld is computed from the clock (H41)',
    file: 'lib/locking/hold-lifecycle.ts',
    from: 'if (this.#overdue() === undefined) return true;',
    to: 'if ((true as boolean) || this.#overdue() === undefined) return true;',
    specs: ['test/faults/stalled-process.server.spec.ts'],
  },
  {
    name: 'a passed deadline kept to itself',
    undoes: 'a hold that finds the deadline of its session passed tells all others of the session (S1)',
    file: 'lib/locking/hold-lifecycle.ts',
    from: 'outsideHolds(() => this.parts.grant.settle?.());',
    to: '',
    specs: ['test/faults/machine-sleep.server.spec.ts'],
  },
  {
    name: 'told in the locks of others',
    undoes: 'code that learns of a loss does not run in the locks of whoever has noticed it (S1)',
    file: 'lib/locking/hold-lifecycle.ts',
    from: 'outsideHolds(() => this.parts.grant.settle?.())',
    to: 'this.parts.grant.settle?.()',
    specs: ['test/faults/machine-sleep.server.spec.ts'],
  },
  {
    name: 'steps without a check of the clock',
    undoes: 'no code runs under a hold whose deadline has passed (H63)',
    file: 'lib/locking/hold-guard.ts',
    from: 'this.check();\n    return this.held.run(code);',
    to: 'return this.held.run(code);',
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
    from: 'if (scope.held.hasEnded) return outer;',
    to: '',
    specs: ['test/e2e/self-scheduling.e2e.spec.ts'],
  },
  {
    name: 'promises that retain holds',
    undoes: 'objects that a hold retains are created outside of its async context (H64)',
    file: 'lib/locking/current-lock.ts',
    from: 'return flows.run(undefined, work);',
    to: 'return work();',
    specs: ['test/e2e/self-scheduling.e2e.spec.ts'],
  },
  {
    name: 'listeners kept',
    undoes: 'an attempt removes its listeners when it ends (H47)',
    file: 'lib/locking/acquisition.ts',
    from: 'for (const stop of stopListening) stop?.();',
    to: '',
    specs: ['test/resources/resources.zookeeper.spec.ts', '-t', 'contended cycles'],
  },
  {
    name: 'kept by work that has failed',
    undoes: 'a lock is free when its work has failed',
    file: 'lib/locking/run-held.ts',
    from: '    await guard.fail();\n',
    to: '',
    specs: ['test/unit/run-held.spec.ts'],
  },
];

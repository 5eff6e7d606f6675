import type { Sabotage } from './mutant.js';

/** What a hold means to its callers. */
export const LOCKING_SABOTAGES: readonly Sabotage[] = [
  {
    name: 'a flag for a clock',
    undoes: 'isHeld is computed from the clock (H41)',
    file: 'lib/locking/hold-lifecycle.ts',
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
    from: 'return flows.run(undefined, work);',
    to: 'return work();',
    specs: ['test/e2e/self-scheduling.e2e.spec.ts'],
  },
  {
    name: 'listeners kept',
    undoes: 'an attempt that has ended listens to its signal no more (H47)',
    file: 'lib/locking/acquisition.ts',
    from: 'for (const stop of stopListening) stop?.();',
    to: '',
    specs: ['test/resources/resources.spec.ts', '-t', 'contended cycles'],
  },
];

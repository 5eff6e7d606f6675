import { describeValue } from './describe-value.js';
import { excludesAll } from './lock-modes.js';
import type { LockFailure, LockMode } from './lock-provider.interface.js';

/** The options of an acquisition that depend on each other. */
interface DependentOptions {
  readonly ttl: number;
  readonly minHold: number;
  readonly maxWaiters: number;
  readonly mode: LockMode;
  readonly permits?: number | undefined;
  readonly failure: LockFailure;
  readonly fair: boolean;
}

/**
 * The problems of options that are valid alone, but not together.
 *
 * @param hasStableOwner the owner may be the same after a restart
 */
export function* combinationProblems(options: DependentOptions, hasStableOwner: boolean): Generator<string> {
  yield* durationProblems(options);
  yield* permitsProblems(options);
  if (options.failure === 'closed') yield* closedProblems(options, hasStableOwner);
  if (!options.fair) yield* unfairProblems(options);
}

function* durationProblems({ ttl, minHold }: DependentOptions): Generator<string> {
  if (ttl > 0 && ttl < minHold)
    yield `\`minHold\` must not be longer than \`ttl\`: got minHold ${minHold} and ttl ${ttl} ms`;
}

function* permitsProblems({ permits, mode }: DependentOptions): Generator<string> {
  if ((permits !== undefined) === (mode === 'semaphore')) return;
  yield permits === undefined
    ? "`mode: 'semaphore'` needs `permits`, the number of holders at the same time: it is missing"
    : `\`permits\` makes the lock a semaphore: leave \`mode\` out, or set it to 'semaphore'. Got mode '${mode}'`;
}

function* closedProblems({ mode, fair }: DependentOptions, hasStableOwner: boolean): Generator<string> {
  if (!excludesAll(mode))
    yield `\`failure: 'closed'\` is for locks with one holder: the modes 'exclusive' and 'write'. Got mode '${mode}'`;
  if (!fair) yield "`failure: 'closed'` needs a queue: leave `fair` out, or set it to true";
  if (!hasStableOwner) {
    yield (
      "`failure: 'closed'` needs an `owner` that is the same after a restart, in the call or in the module: only that owner " +
      'gets the lock back. Use a name that one process at a time has, such as that of a StatefulSet pod'
    );
  }
}

/** What needs a queue. */
function* unfairProblems({ mode, maxWaiters }: DependentOptions): Generator<string> {
  if (mode !== 'exclusive') {
    yield `\`fair: false\` is only possible with the mode 'exclusive': leave it out for '${mode}'`;
  }
  if (maxWaiters !== Infinity) {
    yield (
      `with \`fair: false\` nobody knows how many wait: leave \`maxWaiters\` out, or set it to Infinity if the module has ` +
      `another default. Got ${describeValue(maxWaiters)}`
    );
  }
}

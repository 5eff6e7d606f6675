import { expect, it } from 'vitest';
import { LockTimeoutError } from '../../lib/locking/errors/lock-timeout.error.js';
import { ManualClock } from '../../lib/testing/time/manual-clock.js';
import type { NewProcessEvent } from '../history/process-event.js';
import type { AttemptContext } from './attempt-context.interface.js';
import type { AttemptPlan } from './attempt-plan.js';
import { AttemptRun } from './attempt-run.js';
import type { TestedHold, TestedLockOptions, TestedLocks } from './tested-locks.interface.js';

const PLAN: AttemptPlan = {
  pause: 0,
  resource: 'r',
  verb: 'lock',
  namedBy: 'owner',
  hold: 100,
  heedsSignal: false,
  ending: 'release',
  staleAfter: 50,
};

class FakeHold implements TestedHold {
  readonly resource = 'r';
  readonly fencingToken = 7n;
  readonly lost = new AbortController();
  readonly signal = this.lost.signal;

  isHeld(): boolean {
    return !this.signal.aborted;
  }

  assertHeld(): void {
    this.signal.throwIfAborted();
  }

  async release(): Promise<boolean> {
    return this.isHeld();
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Runs an attempt on virtual time; returns what it recorded and wrote, with the times in ms. */
async function run(
  plan: Partial<AttemptPlan>,
  lock: (options: TestedLockOptions, clock: ManualClock) => Promise<FakeHold | null>,
): Promise<string[]> {
  const clock = new ManualClock(() => 0);
  const lines: string[] = [];
  const write = (event: NewProcessEvent | { what: string; held?: boolean }): void => {
    const held = 'held' in event ? [event.held] : [];
    const outcome = 'outcome' in event ? [event.outcome] : [];
    lines.push([clock.monotonic(), event.what, ...held, ...outcome].join(' '));
  };
  const locks: TestedLocks = {
    lock: async (_resource, options) => (await lock(options, clock))!,
    tryLock: (_resource, options) => lock(options, clock),
    unlock: (held) => held.release(),
    withLock: async (_resource, options, work) => work((await lock(options, clock))!),
  };
  const context: AttemptContext = {
    locks,
    clock,
    guard: {
      write: async ({ moment }) => {
        write({ what: `write '${moment}'` });
        return true;
      },
    },
    journal: {
      write,
      writeHeld: (isHeld, event) => {
        const held = isHeld();
        write(event(held));
        return held;
      },
    },
    defaults: { wait: Infinity, ttl: 0 },
    reportHold: () => {},
  };
  let ended = false;
  const running = new AttemptRun('p1.1#1', { ...PLAN, ...plan }, context).run().finally(() => (ended = true));
  await clock.runUntil(() => ended);
  await running;
  return lines;
}

it('records a hold from its grant to its release, and writes under it and after it', async () => {
  expect(await run({}, async () => new FakeHold())).toEqual([
    '0 asked',
    '0 granted true',
    "0 write 'first'",
    '50 checked true',
    "50 write 'during'",
    '100 releasing true',
    '100 released kept',
    "100 write 'after'",
  ]);
});

it('stops work that heeds the signal when the hold is lost, and writes once more later', async () => {
  const lines = await run({ heedsSignal: true, verb: 'withLock' }, async (_options, clock) => {
    const hold = new FakeHold();
    clock.setTimer(() => hold.lost.abort(new Error('lost')), 20);
    return hold;
  });

  expect(lines).toEqual([
    '0 asked',
    '0 granted true',
    "0 write 'first'",
    '20 signalled',
    '20 checked false',
    "20 write 'during'",
    '20 releasing false',
    '20 released kept',
    "20 write 'after'",
    "70 write 'stale'",
  ]);
});

it.each([
  ['the caller aborts', { abortAfter: 30 }, ['0 asked', '30 aborting', '30 ended aborted']],
  ['the lock is busy', { verb: 'tryLock' }, ['0 asked', '0 ended busy']],
] as const)('records why there is no hold: %s', async (_what, plan, expected) => {
  const lines = await run(plan, async ({ signal }) => {
    if ('verb' in plan) return null;
    return new Promise((_resolve, reject) =>
      signal!.addEventListener('abort', () => reject(signal!.reason as Error)),
    );
  });

  expect(lines).toEqual(expected);
});

it('records a typed error by its type, and any other as untyped', async () => {
  const timedOut = run({}, () => Promise.reject(new LockTimeoutError('r', 5, undefined)));
  const untyped = run({}, () => Promise.reject(new TypeError('x')));

  expect(await Promise.all([timedOut, untyped])).toEqual([
    ['0 asked', '0 ended timedOut'],
    ['0 asked', '0 ended untyped'],
  ]);
});

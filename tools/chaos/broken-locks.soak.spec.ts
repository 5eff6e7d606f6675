import { describe, expect, it } from 'vitest';
import type { Attempt } from '../checker/attempt.js';
import { check, type Verdict } from '../checker/verdict.js';
import type { Invariant } from '../checker/violation.js';
import { SMOKE_SCHEDULE } from './smoke-schedule.js';
import { failureTrace } from '../trace/failure-trace.js';
import { runChaos } from './run-chaos.js';
import type { LockName } from './worker/worker-protocol.js';

const TIMEOUT_MS = 180_000;

async function verdictOn(lock: LockName): Promise<Verdict> {
  const history = await runChaos(SMOKE_SCHEDULE, lock, new AbortController().signal);
  const verdict = check(history);
  for (const violation of verdict.violations.slice(0, 1))
    expect(failureTrace(violation, verdict.attempts, history)).not.toEqual([]);
  return verdict;
}

describe('the checker', () => {
  it(
    'finds no violation by the real lock, one of whose holders was cut off',
    async () => {
      const { violations, attempts } = await verdictOn('real');

      expect(violations.map(({ sentence }) => sentence)).toEqual([]);
      expect(attempts.filter(wasLost)).not.toEqual([]);
    },
    TIMEOUT_MS,
  );

  const brokenLocks: [what: string, lock: LockName, violated: Invariant[]][] = [
    ['without mutual exclusion', 'none', ['S1']],
    ['that sorts by name instead of sequence number', 'string-sorted', ['S1', 'S2', 'F1']],
    ['that releases the lock of any holder', 'release-by-key', ['S1']],
    ['without a deadline', 'no-deadline', ['S1']],
  ];
  it.each(brokenLocks)(
    'detects a lock %s',
    async (_what, lock, violated) => {
      const { violations } = await verdictOn(lock);

      expect([...new Set(violations.map(({ invariant }) => invariant))]).toEqual(
        expect.arrayContaining(violated),
      );
    },
    TIMEOUT_MS,
  );
});

function wasLost({ events }: Attempt): boolean {
  return events.some((event) => event.what === 'emitted' && event.event === 'lost');
}

import { describe, expect, it } from 'vitest';
import type { Attempt } from './checker/attempts.js';
import { judge, type Verdict } from './checker/verdict.js';
import type { Invariant } from './checker/violation.js';
import { GAUNTLET } from './smoke-schedule.js';
import { story } from './report/failure-trace.js';
import { runChaos } from './run-chaos.js';
import type { LockName } from './worker/worker-protocol.js';

const TIMEOUT_MS = 180_000;

async function verdictOn(lock: LockName): Promise<Verdict> {
  const history = await runChaos(GAUNTLET, lock, new AbortController().signal);
  const verdict = judge(history);
  for (const violation of verdict.violations.slice(0, 1))
    expect(story(violation, verdict.attempts, history)).not.toEqual([]);
  return verdict;
}

describe('the checker', () => {
  it(
    'finds nothing wrong with the lock, one of whose holders was cut off',
    async () => {
      const { violations, attempts } = await verdictOn('real');

      expect(violations.map(({ sentence }) => sentence)).toEqual([]);
      expect(attempts.filter(wasLost)).not.toEqual([]);
    },
    TIMEOUT_MS,
  );

  const sabotages: [what: string, lock: LockName, broken: Invariant[]][] = [
    ['that excludes nobody', 'none', ['S1']],
    ['that sorts names and not numbers', 'string-sorted', ['S1', 'S2', 'F1']],
    ['that releases whatever is locked', 'release-by-key', ['S1']],
    ['without a deadline', 'no-deadline', ['S1']],
  ];
  it.each(sabotages)(
    'catches a lock %s',
    async (_what, lock, broken) => {
      const { violations } = await verdictOn(lock);

      expect([...new Set(violations.map(({ invariant }) => invariant))]).toEqual(
        expect.arrayContaining(broken),
      );
    },
    TIMEOUT_MS,
  );
});

function wasLost({ events }: Attempt): boolean {
  return events.some((event) => event.what === 'told' && event.event === 'lost');
}

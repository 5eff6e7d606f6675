import { describe, expect, it } from 'vitest';
import { judge } from './checker/verdict.js';
import type { Violation } from './checker/violation.js';
import { story } from './report/story.js';
import { runChaos, type ChaosOptions } from './run-chaos.js';

const OPTIONS: ChaosOptions = {
  lock: 'real',
  seed: 7,
  durationMs: 15_000,
  calmMs: 1_000,
  servers: 1,
  processes: 4,
  resources: ['order:1', 'report'],
};
const TIMEOUT_MS = 150_000;

/** A short run, the same faults for every lock. */
async function violationsOf(options: Partial<ChaosOptions>): Promise<readonly Violation[]> {
  const history = await runChaos({ ...OPTIONS, ...options }, new AbortController().signal);
  const { violations, attempts } = judge(history);
  for (const violation of violations.slice(0, 1)) expect(story(violation, attempts, history)).not.toEqual([]);
  return violations;
}

describe('the checker', () => {
  it(
    'finds nothing wrong with the lock',
    async () => {
      const violations = await violationsOf({ servers: 3, calmMs: 5_000, durationMs: 20_000 });

      expect(violations.map(({ sentence }) => sentence)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each(['none', 'string-sorted', 'release-by-key', 'no-deadline'] as const)(
    'catches two holders of the sabotaged lock "%s"',
    async (lock) => {
      const violations = await violationsOf({ lock });

      expect(violations.filter(({ invariant }) => invariant === 'S1')).not.toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'sees that names sorted as strings let latecomers in first, with smaller tokens',
    async () => {
      const violations = await violationsOf({ lock: 'string-sorted', durationMs: 8_000 });
      const invariants = new Set(violations.map(({ invariant }) => invariant));

      expect(invariants).toContain('F1');
      expect(invariants).toContain('S2');
    },
    TIMEOUT_MS,
  );
});

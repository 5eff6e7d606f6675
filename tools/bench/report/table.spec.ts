import { expect, test } from 'vitest';
import type { Result } from '../measure/result.js';
import type { Sample } from '../measure/sample.js';
import { SUBJECTS } from '../subjects.js';
import { failures, resultsTable } from './table.js';

function result(name: string, samples: readonly Partial<Sample>[], more: Partial<Result> = {}): Result {
  const subject = SUBJECTS.find((candidate) => candidate.name === name)!;
  const complete = samples.map((sample) => ({ speed: 1, violations: 0, ...sample }));
  return { subject, samples: complete, violations: 0, ...more };
}

test('a table has medians with extremes, and only the columns that were measured', () => {
  const table = resultsTable([
    result(
      'sent',
      [10, 30, 20].map((speed) => ({ speed, grantsPerSecond: speed, p99: 1.5 })),
    ),
    result(
      'curator',
      [10, 10, 10].map((speed) => ({ speed, grantsPerSecond: speed })),
    ),
    result('pairs', []),
  ]);

  expect(table.split('\n')).toEqual([
    '| subject                        |    times Curator |         grants/s | p99 ms | violations |',
    '| ------------------------------ | ---------------: | ---------------: | -----: | ---------: |',
    "| nestjs-locked, release: 'sent' | 2.00 (1.00–3.00) | 20.0 (10.0–30.0) |   1.50 |          0 |",
    '| Curator InterProcessMutex      | 1.00 (1.00–1.00) | 10.0 (10.0–10.0) |      – |          0 |',
    '| pairs of create and delete     |                – |                – |      – |          – |',
  ]);
});

test('without Curator there is no ratio', () => {
  expect(resultsTable([result('sent', [{ grantsPerSecond: 1 }])])).not.toContain('Curator');
});

test('violations and failures are told', () => {
  const bad = result('kazoo', [], { violations: 3, failure: 'Waited 5 ms for a worker.' });

  expect(resultsTable([bad])).toContain('| kazoo Lock |          3 |');
  expect(failures([bad, result('sent', [{}])])).toEqual(['kazoo Lock failed: Waited 5 ms for a worker.']);
});

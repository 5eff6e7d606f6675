import { expect, test } from 'vitest';
import type { WorkloadResults } from '../measure/result.js';
import { SUBJECTS } from '../subjects.js';
import { WORKLOADS } from '../workloads.js';
import { drawChart } from './chart.js';

/** The results of a workload, by the names of subjects. */
function results(speeds: Readonly<Record<string, number>>): WorkloadResults {
  const named = Object.entries(speeds).map(([name, speed]) => {
    const subject = SUBJECTS.find((candidate) => candidate.name === name)!;
    return { subject, samples: [{ speed, violations: 0 }], violations: 0 };
  });
  return { workload: WORKLOADS[0]!, results: named };
}

const tooltips = (svg: string): string[] => [...svg.matchAll(/<title>([^<]*)</g)].map(([, text]) => text!);

test('each subject has a bar for each kind of server, as long as its ratio to Curator', () => {
  const svg = drawChart([
    { setup: 'single', workloads: [results({ curator: 100, kazoo: 50 })] },
    { setup: 'ensemble', workloads: [results({ curator: 10, kazoo: 20 })] },
  ]);

  expect(tooltips(svg)).toEqual([
    'Curator InterProcessMutex: 1.00×',
    'kazoo Lock: 0.500×',
    'Curator InterProcessMutex: 1.00×',
    'kazoo Lock: 2.00×',
  ]);
  for (const text of ['One server, without fsync', 'W1: one key', 'prefers-color-scheme: dark'])
    expect(svg).toContain(text);
});

test('without Curator the chart has no bars', () => {
  expect(tooltips(drawChart([{ setup: 'single', workloads: [results({ kazoo: 50 })] }]))).toEqual([]);
});

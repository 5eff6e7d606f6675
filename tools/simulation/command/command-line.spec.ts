import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { parseCommandLine } from './command-line.js';

test('parses what to do, with defaults', () => {
  const files = { out: tmpdir(), shrinkMs: 0 };
  const seeds = { from: 1, mostCalls: Infinity };

  expect(parseCommandLine(['--seed', 'x7'])).toEqual({ task: 'seed', seed: 'x7', ...files });
  expect(parseCommandLine(['--faults', 'a.json', '--faults', 'b.json', '--shrink', '5'])).toEqual({
    task: 'replay',
    files: ['a.json', 'b.json'],
    ...files,
    shrinkMs: 5_000,
  });
  expect(parseCommandLine(['--digest', '3'])).toEqual({ task: 'digest', count: 3, seeds, ...files });
  expect(
    parseCommandLine([
      '--minutes',
      '0.5',
      '--from',
      '9',
      '--most-calls',
      '200',
      '--profile',
      'crashes',
      '--processes',
      '3',
      '--most-failures',
      '5',
    ]),
  ).toEqual({
    task: 'search',
    durationMs: 30_000,
    processes: 3,
    mostFailures: 5,
    seeds: { from: 9, mostCalls: 200, profile: 'crashes' },
    ...files,
    shrinkMs: 120_000,
  });
});

test.each([
  [[], 'Give one of --seed, --minutes, --faults and --digest'],
  [['--seed', '1', '--minutes', '1'], 'Give one of --seed, --minutes, --faults and --digest'],
  [['--seed', 'crash/1'], "There is no profile 'crash'"],
  [['--minutes', '1', '--profile', 'crash'], "There is no profile 'crash'"],
  [['--minutes', '0'], '--minutes must be a number of at least 0.01: got 0'],
  [['--minutes', ''], '--minutes must be a number of at least 0.01: got '],
  [['--minutes', '1', '--from', '1.5'], '--from must be a whole number: got 1.5'],
  [['--digest', '-1'], "Option '--digest' argument is ambiguous"],
  [['--speed', '1'], "Unknown option '--speed'"],
])('refuses %s', (args, message) => {
  expect(() => parseCommandLine(args)).toThrow(message);
});

import { expect, test } from 'vitest';
import { parseCommandLine } from './command-line.js';

test('parses the options, with defaults', () => {
  const { run, ...others } = parseCommandLine(['--seed', '3', '--minutes', '0.5', '--svg', 'a.svg']);

  expect(run).toMatchObject({ seed: 3, durationMs: 30_000, servers: 3, processes: 6, crowd: 1 });
  expect(others).toEqual({ lock: 'real', plan: false, json: undefined, svg: 'a.svg' });
});

test.each([
  [['--seed', 'x'], '--seed must be a whole number of at least 0: got x'],
  [['--processes', '1.5'], '--processes must be a whole number of at least 1: got 1.5'],
  [['--crowd', '0'], '--crowd must be a whole number of at least 1: got 0'],
  [['--minutes', '0'], '--minutes must be a number of at least 0.1: got 0'],
  [['--lock', 'mutex'], '--lock must be one of real, none,'],
  [['--speed', '1'], "Unknown option '--speed'"],
])('refuses %s', (args, message) => {
  expect(() => parseCommandLine(args)).toThrow(message);
});

import { expect, test } from 'vitest';
import { parseCommandLine, usage } from './command-line.js';

const names = (items: readonly { readonly name: string }[]): string[] => items.map(({ name }) => name);

test('without options, measures all workloads on all servers', () => {
  const { workloads, servers, subjects, kind, ...rest } = parseCommandLine([]);

  expect(names(workloads)).toEqual(['W1', 'W1n', 'W2', 'W2s', 'W3', 'W4', 'W4b', 'W5', 'W5s', 'W6']);
  expect(servers).toEqual(['single', 'fsync', 'distant', 'ensemble']);
  expect(names(subjects)).toContain('curator');
  expect(names(subjects)).not.toContain('none');
  expect(kind.name).toBe('exclusive');
  expect(rest).toEqual({
    rounds: 5,
    milliseconds: 1_000,
    warmUpMs: 3_000,
    warmUpGrants: 10_000,
    write: false,
  });
});

test('measures what was chosen, in the order of the tables', () => {
  const chosen = ['--workloads', 'W3,W1', '--servers', 'ensemble', '--subjects', 'none,sent'];
  const { workloads, servers, subjects, kind, ...rest } = parseCommandLine([
    ...chosen,
    ...['--rounds', '1', '--seconds', '0.3', '--warm-up', '20', '--warm-up-grants', '0', '--write'],
  ]);

  expect(names(workloads)).toEqual(['W1', 'W3']);
  expect(servers).toEqual(['ensemble']);
  expect(names(subjects)).toEqual(['sent', 'none']);
  expect(kind.name).toBe('exclusive');
  expect(rest).toEqual({ rounds: 1, milliseconds: 300, warmUpMs: 20_000, warmUpGrants: 0, write: true });
});

test.each([
  [
    ['--workloads', 'W1,W9'],
    "--workloads must be names out of W1, W1n, W2, W2s, W3, W4, W4b, W5, W5s, W6: got 'W9'",
  ],
  [['--servers', ''], "--servers must be names out of single, fsync, distant, ensemble: got ''"],
  [
    ['--kind', 'fair'],
    "--kind must be names out of exclusive, write, read, semaphore, simple, closed, several: got 'fair'",
  ],
  [['--kind', 'read', '--write'], "--write is for exclusive locks: got --kind 'read'"],
  [['--kind', 'read', '--subjects', 'kazoo'], '--subjects must be names out of confirmed, sent, curator'],
  [['--subjects', 'zab'], "got 'zab'"],
  [['--rounds', '1.5'], "--rounds must be a whole number of at least 1: got '1.5'"],
  [['--seconds', 'long'], "--seconds must be a number of at least 0.05: got 'long'"],
  [['--seconds', ''], "--seconds must be a number of at least 0.05: got ''"],
  [['--warm-up', 'no'], "--warm-up must be a number of at least 0.05: got 'no'"],
  [['--warm-up-grants', '0.5'], "--warm-up-grants must be a whole number of at least 0: got '0.5'"],
  [['--fast'], "Unknown option '--fast'"],
  [['W1'], "Unexpected argument 'W1'"],
])('refuses %s', (args, message) => {
  expect(() => parseCommandLine(args)).toThrow(message);
});

test('other kinds are measured beside those of Curator', () => {
  const { kind, subjects } = parseCommandLine(['--kind', 'semaphore']);
  expect(kind.name).toBe('semaphore');
  expect(subjects.map(({ title }) => title)).toEqual([
    "nestjs-locked, permits: 4, release: 'confirmed'",
    "nestjs-locked, permits: 4, release: 'sent'",
    'Curator InterProcessSemaphoreV2, 4 leases',
  ]);
});

test('the usage names all workloads, servers and subjects', () => {
  for (const name of ['W5s', '4 processes with 4 waiters', 'fsync', 'redlock', '--write'])
    expect(usage()).toContain(name);
});

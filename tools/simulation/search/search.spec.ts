import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { NOTHING } from '../trial/figures.js';
import type { HangDetector } from './hang.js';
import { exitCodeOf, search, type SearchResult } from './search.js';

const DIRECTORY = mkdtempSync(join(tmpdir(), 'search-'));

afterAll(() => rmSync(DIRECTORY, { recursive: true }));

function* seeds(): Generator<string, never> {
  for (let seed = 1; ; seed += 1) yield String(seed);
}

/** The name of a file that a seed makes before it hangs. */
const SIGN = join(DIRECTORY, 'hangs');
const HANG_FOR_EVER = `{ writeFileSync(${JSON.stringify(SIGN)}, seed); while (true); }`;

/** However slow the machine is, no other seed is taken for one that hangs. */
const detectHang: HangDetector = (hangs) => {
  rmSync(SIGN, { force: true });
  const timer = setInterval(() => existsSync(SIGN) && hangs(), 10);
  return () => clearInterval(timer);
};

/** @param onSeed statements that run a seed */
async function searchWith(onSeed: string, durationMs: number, mostFailures = 1): Promise<SearchResult> {
  const program = join(DIRECTORY, `${durationMs}.mjs`);
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs';
     const figures = ${JSON.stringify({ ...NOTHING, seeds: 1 })};
     process.on('message', ({ seed }) => { ${onSeed} });
     process.once('disconnect', () => process.exit());`,
  );
  return search({
    seeds: seeds(),
    processes: 1,
    durationMs,
    detectHang,
    mostFailures,
    program: pathToFileURL(program),
    progress: () => {},
  });
}

test.each([
  ['long before the end', '3', 60_000, 2],
  ['at the end', '1', 0, 0],
])('a seed that never ends fails, %s', { timeout: 30_000 }, async (_, seed, durationMs, before) => {
  const onSeed = `if (seed === '${seed}') ${HANG_FOR_EVER} process.send({ seed, figures });`;
  const { failing, figures } = await searchWith(onSeed, durationMs);
  expect(failing).toEqual([{ seed, failure: 'hang' }]);
  expect(figures.seeds).toBe(before);
});

test('a search goes on until enough seeds have failed, however they do', async () => {
  const onSeed = `
    if (seed === '2') process.exit(3);
    if (seed === '4') ${HANG_FOR_EVER}
    process.send({ seed, figures, ...(seed === '5' ? { failure: 'S1' } : {}) });`;
  const { failing, figures } = await searchWith(onSeed, 60_001, 3);
  expect(failing).toEqual([
    { seed: '2', failure: 'exit 3' },
    { seed: '4', failure: 'hang' },
    { seed: '5', failure: 'S1' },
  ]);
  expect(figures.seeds).toBe(3);
});

test('the seed that runs at the end counts', async () => {
  const { failing, figures } = await searchWith(
    'setTimeout(() => process.send({ seed, figures }), 800)',
    300,
  );
  expect(failing).toEqual([]);
  expect(figures.seeds).toBe(1);
});

test.each([
  [0, 0, 2],
  [5, 0, 2],
  [5, 7, 0],
])('after %i seeds with %i grants, the exit code is %i', (count, grants, code) => {
  const figures = { ...NOTHING, seeds: count, grants };
  expect(exitCodeOf({ figures, realMs: 1, failing: [] })).toBe(code);
  expect(exitCodeOf({ figures, realMs: 1, failing: [{ seed: '1', failure: 'S1' }] })).toBe(1);
});

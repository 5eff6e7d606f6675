import { test } from 'vitest';
import { RandomSearch, SHRINK_MS } from './random-search.js';

/** For a longer search: `RANDOM_SECONDS=600 npm run test:soak -- test/conformance`; `SEED` repeats a search. */
const SEARCH_MS = 1_000 * Number(process.env['RANDOM_SECONDS'] ?? 120);
const SEED = process.env['SEED'];

test(
  'random clients receive the same from both servers, with random seeds',
  { timeout: SEARCH_MS + 3 * SHRINK_MS },
  async () => {
    await using search = await RandomSearch.start();
    const end = performance.now() + SEARCH_MS;
    let seed = Number(SEED ?? Date.now() % 1_000_000);
    do await search.tryAll(seed++);
    while (performance.now() < end);
  },
);

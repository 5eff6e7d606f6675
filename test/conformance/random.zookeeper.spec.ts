import { test } from 'vitest';
import { RandomSearch, SHRINK_MS } from './random-search.js';

/** The soak test uses other seeds. */
const SEED = 7;

test('random clients receive the same from both servers', { timeout: 3 * SHRINK_MS }, async () => {
  await using search = await RandomSearch.start();
  await search.tryAll(SEED);
});

import { test } from 'vitest';
import { RandomSearch, SHRINK_MS } from './random-search.js';

/** The soak tries others. */
const SEED = 7;

test(
  'what random clients hear is what they would hear from ZooKeeper',
  { timeout: 3 * SHRINK_MS },
  async () => {
    await using search = await RandomSearch.start();
    await search.tryAll(SEED);
  },
);

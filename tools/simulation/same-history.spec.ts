import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { simulate } from './spec-program.js';

/** Of scenarios with few calls, so that they take little time. */
const digests = async (count: number): Promise<string[]> => {
  const { code, output } = await simulate('--digest', String(count), '--most-calls', '80');
  expect(code, output).toBe(0);
  return output.trim().split('\n');
};

test('the same seed has the same history, in another process too', { timeout: 240_000 }, async () => {
  const [first, second] = await Promise.all([digests(8), digests(8)]);

  expect(first).toHaveLength(8);
  expect(second).toEqual(first);
  expect(new Set(first.map((line) => line.split(' ')[1])).size).toBe(8);
});

/**
 * A change of the simulator or of the library changes these digests; a version of Node must not. To pin new ones:
 * `npm run simulate -- --digest 3 --most-calls 80`.
 */
test('a seed has the same history on every version of Node', async () => {
  const pinned = readFileSync(new URL('digests.txt', import.meta.url), 'utf8');

  expect(await digests(3)).toEqual(pinned.trim().split('\n'));
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { simulate } from './spec-program.js';

/**
 * The digests were computed in another process. A change of the simulator or of the library changes them; a version of Node
 * must not. To pin new ones: `npm run simulate -- --digest 4 --most-calls 80`.
 */
test('the same seed has the same history, on every version of Node', { timeout: 240_000 }, async () => {
  const pinned = readFileSync(new URL('digests.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');

  // Of scenarios with few calls, so that they take little time.
  const { code, output } = await simulate('--digest', String(pinned.length), '--most-calls', '80');

  expect(code, output).toBe(0);
  expect(output.trim().split('\n')).toEqual(pinned);
  expect(new Set(pinned.map((line) => line.split(' ')[1])).size).toBe(pinned.length);
});

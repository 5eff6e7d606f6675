import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { simulate } from './spec-program.js';

const DIRECTORY = fileURLToPath(new URL('regressions/', import.meta.url));
const FILES = readdirSync(DIRECTORY).filter((name) => name.endsWith('.json'));

test.each(FILES)('%s violates nothing any more', async (file) => {
  const { code, output } = await simulate('--faults', DIRECTORY + file);

  expect(output).toContain('no violations');
  expect(code).toBe(0);
});

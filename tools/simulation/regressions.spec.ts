import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { simulate } from './spec-program.js';

const DIRECTORY = fileURLToPath(new URL('regressions/', import.meta.url));

test('the scenarios of mutants and former defects violate nothing any more', async () => {
  const files = readdirSync(DIRECTORY).filter((name) => name.endsWith('.json'));
  const { code, output } = await simulate(...files.flatMap((file) => ['--faults', DIRECTORY + file]));

  expect(output.match(/: no violations$/gm), output).toHaveLength(files.length);
  expect(code).toBe(0);
});

import { fileURLToPath } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const MEASURE_TEXTS = fileURLToPath(new URL('measure-texts.js', import.meta.url));

interface TextLayout {
  readonly overlaps: readonly string[];
  readonly outside: readonly string[];
  readonly scrollsSideways: boolean;
}

/** Checks the page with axe-core, including its best practices. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  expect(
    violations.map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes.map(({ target }) => target.join(' ')),
    })),
  ).toEqual([]);
}

/** Checks that no texts overlap and nothing is wider than the window. */
export async function expectTidy(page: Page): Promise<void> {
  await page.addScriptTag({ path: MEASURE_TEXTS });
  const layout = await page.evaluate<TextLayout>('measureTexts()');
  expect(layout).toEqual({ overlaps: [], outside: [], scrollsSideways: false });
}

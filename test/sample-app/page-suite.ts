import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { installed } from '../support/installed.js';
import { BoxOffice } from './box-office.js';
import { chromium, launchChromium } from './chromium.js';
import { LONGEST_VALUES } from './longest-values.js';
import { expectAccessible, expectTidy } from './page-checks.js';

const TIMEOUT_MS = 180_000;
/** The timeout of one step, shorter than that of the test, so that a failure names the step. */
const STEP_TIMEOUT_MS = 60_000;

/** Much longer than the ttl of 1.5 s, so that B has printed by then even on a busy machine. */
const PAUSE_MS = 12_000;

/** What the page of the sample app does and looks like in windows of a width, in px. */
export function describePage(width: number): void {
  describe.runIf(installed(chromium))(
    `the page of the sample app, ${width} px wide`,
    { timeout: TIMEOUT_MS },
    () => {
      let boxOffice: BoxOffice;
      let browser: Browser;

      beforeAll(async () => {
        boxOffice = await BoxOffice.open();
        browser = await launchChromium();
      }, TIMEOUT_MS);

      afterAll(async () => {
        await browser?.close();
        await boxOffice?.[Symbol.asyncDispose]();
      }, TIMEOUT_MS);

      let page: Page;

      beforeEach(async () => {
        page = await browser.newPage({ viewport: { width, height: 900 } });
        page.setDefaultTimeout(STEP_TIMEOUT_MS);
        onTestFinished(() => page.close());
        await page.goto(boxOffice.url);
        await page.locator('#connection[data-state=connected]').waitFor();
      });

      it('sells a seat', async () => {
        await freeAllSeats();
        await page.locator('#evening').getByRole('button', { name: 'Buy a ticket' }).click();

        await answer('#evening', /^201: seat 1 for customer \w+, under token \d+$/);
        await page.locator('#evening .seats .sold').waitFor();
        expect(await page.locator('#evening .seats .sold').getAttribute('title')).toBe('Seat 1: sold once');
        await checkLooks();
      });

      it('oversells the show without a lock, and not the other one', async () => {
        await freeAllSeats();
        await page.getByRole('button', { name: 'Send 120 customers to both shows' }).click();

        await count('#evening', 'turned away', '80');
        await count('#evening', 'tickets sold', '40 of 40');
        await count('#evening', 'sales lost', '0');
        await count('#matinee', 'sales lost', /^[1-9]/);
        await page.locator('#matinee.broken').waitFor();
        await checkLooks();
      });

      it('shows the holder and the waiters of all processes, and how the queue advances', async () => {
        await freeAllSeats();
        await using first = await boxOffice.locks.lock('show:evening', { purpose: 'first in line' });
        const second = boxOffice.locks.lock('show:evening', { purpose: 'second in line' });
        await holder('first in line');
        await waiters('second in line');
        expect(await page.locator('#queue .holder .pid').getAttribute('data-mine')).toBe('false');
        await checkLooks();

        await page.locator('#evening').getByRole('button', { name: 'Buy a ticket' }).click();
        await waiters('second in line', 'SeatsController.buyLocked');
        expect(await page.locator('#queue .waiters .pid').last().getAttribute('data-mine')).toBe('true');
        await page.getByRole('button', { name: 'Hold it for 8 seconds' }).click();
        await waiters('second in line', 'SeatsController.buyLocked', 'held by hand for 8 s');

        await first.release();
        await holder('second in line');
        await waiters('SeatsController.buyLocked', 'held by hand for 8 s');
        expect(await page.locator('#queue .holder .token').textContent()).toBe(
          String((await second).fencingToken),
        );

        await (await second).release();
        await answer('#evening', /^201: seat 1 /);
        await page.getByText('No waiters').waitFor();
        await page.getByText('Not held').waitFor();
      });

      it('shows that the printer refuses a stale writer', async () => {
        await page.route('**/printer/pages', async (route) => {
          const body = route.request().postDataJSON() as { pauseMs?: number };
          await route.continue({ postData: { ...body, ...(body.pauseMs && { pauseMs: PAUSE_MS }) } });
        });
        await page.getByRole('button', { name: 'Run a stale writer' }).click();

        await step(1, /^token \d+$/);
        await step(2, /^held for \d+ ms$/);
        await step(3, /^token \d+$/);
        await step(4, /^refused: \d+ is smaller$/);
        await answer('#printer', 'Response to A when its ttl had passed: 500 LOCK_LOST');
        await page.locator('#printer .pages .refused').filter({ hasText: 'written by A' }).first().waitFor();
        expect(await page.getByRole('button', { name: 'Run a stale writer' }).isEnabled()).toBe(true);
        await checkLooks();
      });

      it('displays the longest values without overlaps', async () => {
        await page.route('**/live', (route) =>
          route.fulfill({ contentType: 'text/event-stream', body: LONGEST_VALUES }),
        );
        await page.reload();
        await page.getByText('and 294 more').waitFor();
        await page.locator('#events tbody tr').first().waitFor();
        await checkLooks();
      });

      async function freeAllSeats(): Promise<void> {
        for (const show of ['#matinee', '#evening']) {
          await page.locator(show).getByRole('button', { name: 'Free all seats' }).click();
          await count(show, 'tickets sold', '0 of 40');
        }
      }

      async function count(show: string, what: string, value: string | RegExp): Promise<void> {
        const exactly = typeof value === 'string' ? new RegExp(`^${value}$`) : value;
        await page
          .locator(`${show} .counts div`)
          .filter({ has: page.getByText(what, { exact: true }) })
          .locator('dd')
          .filter({ hasText: exactly })
          .waitFor();
      }

      async function answer(card: string, text: string | RegExp): Promise<void> {
        await page.locator(`${card} .answer`).filter({ hasText: text }).waitFor();
      }

      async function holder(purpose: string): Promise<void> {
        await page.locator('#queue .holder .purpose').filter({ hasText: purpose }).waitFor();
      }

      /** Expects exactly these waiters, in order. */
      async function waiters(...purposes: string[]): Promise<void> {
        const shown = page.locator('#queue .waiters .purpose');
        await eventually(async () => expect(await shown.allTextContents()).toEqual(purposes), {
          timeoutMs: STEP_TIMEOUT_MS,
          describe: 'the waiters',
        });
      }

      async function step(number: number, text: RegExp): Promise<void> {
        await page.locator(`#printer [data-step="${number}"] output`).filter({ hasText: text }).waitFor();
      }

      async function checkLooks(): Promise<void> {
        await expectTidy(page);
        await expectAccessible(page);
      }
    },
  );
}

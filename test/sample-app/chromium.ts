import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium as playwright, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const ARGUMENTS = [
  '--no-sandbox', // it cannot have one as root, and sees no page but ours
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Path of a Chromium in `PATH`. */
export function chromium(): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable);
}

/** A browser without a window, with a profile of its own that goes with it. */
export function launchChromium(): Promise<Browser> {
  // What tests demand of Node processes, Chromium does not know.
  const { NODE_OPTIONS: _, ...env } = process.env;
  return playwright.launch({ executablePath: chromium(), args: ARGUMENTS, env, timeout: 120_000 });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

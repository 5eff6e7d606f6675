import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium as playwright, type Browser } from 'playwright-core';

/** The first one has no windows, and needs two thirds of the CPU time of the others. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const ARGUMENTS = [
  '--no-sandbox', // root cannot use it, and only the sample page is opened
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of a Chromium in `PATH`. */
export function chromium(): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable);
}

/** Launches a headless browser with a temporary profile. */
export function launchChromium(): Promise<Browser> {
  // Chromium does not understand the NODE_OPTIONS of the tests.
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

import { parseArgs } from 'node:util';
import type { ProfileName } from '../scenario/profiles/profiles.js';
import { assertProfileName } from '../scenario/seed.js';

export interface CommandLine {
  /** Of mutants; empty for all. */
  readonly names: readonly string[];
  /** For each search, ms of processor time. */
  readonly limitMs: number;
  /** For each mutant, from different first seeds. */
  readonly searches: number;
  /** Of all runs. Undefined: the one in which a mutant is sought, or each seed draws one. */
  readonly profile: ProfileName | undefined;
}

export const USAGE = `npm run simulate:mutants -- [--limit 60] [--searches 5] [--profile crashes] [NAME ...]`;

/** @throws Error if an option is unknown or invalid */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      limit: { type: 'string', default: '60' },
      searches: { type: 'string', default: '5' },
      profile: { type: 'string' },
    },
  });
  const seconds = Number(values.limit);
  if (!(seconds >= 1 && seconds <= 3_600))
    throw new Error(
      `--limit must be a number of seconds of processor time from 1 to 3600: got ${values.limit}`,
    );
  const searches = Number(values.searches);
  if (!(Number.isInteger(searches) && searches >= 1))
    throw new Error(`--searches must be a whole number of at least 1: got ${values.searches}`);
  const profile = values.profile === undefined ? undefined : assertProfileName(values.profile);
  return { names: positionals, limitMs: seconds * 1_000, searches, profile };
}

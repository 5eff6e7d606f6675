import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { HANG, HANG_MS } from '../search/hang.js';
import type { ProfileName } from '../scenario/profiles/profiles.js';
import { seedName } from '../scenario/seed.js';
import type { Finding } from './find-violation.js';
import type { SearchReport } from './search-report.js';

export interface SearchResult {
  /** How many seeds were run, the last one included. */
  readonly seeds: number;
  /** Undefined if the time was up before anything was found. */
  readonly found: Finding | undefined;
}

/**
 * Searches with the programs in the folder `build` of `copy`, in a process of its own.
 *
 * @param profile of all runs; undefined: each seed draws one
 */
export async function search(
  copy: string,
  first: number,
  limitMs: number,
  profile: ProfileName | undefined,
): Promise<SearchResult> {
  const program = join(copy, 'build/tools/simulation/judge/processes/search.js');
  const child = spawn(
    process.execPath,
    [program, String(first), String(limitMs), ...(profile === undefined ? [] : [profile])],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let last: SearchReport | undefined;
  const timer = setTimeout(() => child.kill('SIGKILL'), HANG_MS);
  for await (const line of createInterface({ input: child.stdout })) {
    last = JSON.parse(line) as SearchReport;
    timer.refresh();
  }
  clearTimeout(timer);
  if (last === undefined) throw new Error(`${program} does not run`);
  const seeds = last.seed - first + 1;
  if (last.kind === 'nothing') return { seeds, found: undefined };
  if (last.kind === 'found') return { seeds, found: { how: last.how, sentence: last.sentence } };
  return { seeds, found: { how: HANG, sentence: `seed ${seedName(last.seed, profile)} never ends` } };
}

import { availableParallelism, tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { ProfileName } from '../scenario/profiles/profiles.js';
import { assertProfileName, profileOf } from '../scenario/seed.js';

/** Which seeds are run, one after another. */
export interface Seeds {
  readonly from: number;
  /** Seeds whose scenario has more calls than that are left out. */
  readonly mostCalls: number;
  /** Of all runs. Undefined: each seed draws one. */
  readonly profile?: ProfileName | undefined;
}

export type CommandLine = Task & {
  /** Where scenarios and pictures of failures are written to. */
  readonly out: string;
  /** For how long a failing scenario is shrunk, ms. 0: not at all. */
  readonly shrinkMs: number;
};

type Task =
  | { readonly task: 'seed'; readonly seed: string }
  | { readonly task: 'replay'; readonly files: readonly string[] }
  | { readonly task: 'digest'; readonly count: number; readonly seeds: Seeds }
  | {
      readonly task: 'search';
      readonly durationMs: number;
      readonly processes: number;
      /** The search ends when so many seeds have failed. */
      readonly mostFailures: number;
      readonly seeds: Seeds;
    };

export const USAGE = `npm run simulate -- --seed 7                  runs one seed, or one of a profile: --seed crashes/7
                    --minutes 60 [--from 1]   searches for a seed that fails, on all cores
                        [--processes 2] [--most-calls 500] [--most-failures 1] [--profile crashes]
                    --faults scenario.json    replays a scenario, or several one after another
                        [--faults other.json]
                    --digest 100 [--from 1]   prints a digest of the history of each seed
                        [--most-calls 500] [--profile crashes]
                    [--out directory]         for scenarios and pictures of failures
                    [--shrink 120]            shrinks what fails, for so many seconds at most`;

/** How long a search shrinks what it has found, s. */
const SHRINK_S = '120';

/** @throws Error if an option is unknown or invalid, or if it is not clear what to do */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      faults: { type: 'string', multiple: true },
      digest: { type: 'string' },
      minutes: { type: 'string' },
      profile: { type: 'string' },
      from: { type: 'string', default: '1' },
      'most-calls': { type: 'string', default: 'Infinity' },
      'most-failures': { type: 'string', default: '1' },
      processes: { type: 'string', default: String(availableParallelism()) },
      out: { type: 'string', default: tmpdir() },
      shrink: { type: 'string' },
    },
  });
  const { seed, faults: files, digest, minutes, profile, out } = values;
  // Refuses unknown profiles.
  if (seed !== undefined) profileOf(seed);
  const seeds = {
    from: whole('from', values.from, 0),
    mostCalls: values['most-calls'] === 'Infinity' ? Infinity : whole('most-calls', values['most-calls'], 1),
    profile: profile === undefined ? undefined : assertProfileName(profile),
  };
  const tasks: (Task | undefined)[] = [
    seed === undefined ? undefined : { task: 'seed', seed },
    files === undefined ? undefined : { task: 'replay', files },
    digest === undefined ? undefined : { task: 'digest', count: whole('digest', digest, 1), seeds },
    minutes === undefined
      ? undefined
      : {
          task: 'search',
          durationMs: number('minutes', minutes, 0.01) * 60_000,
          processes: whole('processes', values.processes, 1),
          mostFailures: whole('most-failures', values['most-failures'], 1),
          seeds,
        },
  ];
  const [task, ...others] = tasks.filter((given) => given !== undefined);
  if (task === undefined || others.length > 0)
    throw new Error('Give one of --seed, --minutes, --faults and --digest');
  const shrink = values.shrink ?? (task.task === 'search' ? SHRINK_S : '0');
  return { ...task, out, shrinkMs: number('shrink', shrink, 0) * 1_000 };
}

function whole(name: string, value: string, least: number): number {
  const parsed = number(name, value, least);
  if (Number.isSafeInteger(parsed)) return parsed;
  throw new Error(`--${name} must be a whole number: got ${value}`);
}

function number(name: string, value: string, least: number): number {
  const parsed = value.trim() === '' ? NaN : Number(value);
  if (parsed >= least && Number.isFinite(parsed)) return parsed;
  throw new Error(`--${name} must be a number of at least ${least}: got ${value}`);
}

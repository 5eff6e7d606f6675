import { parseArgs } from 'node:util';
import { simpleResource } from '../attempts/simple-resources.js';
import type { ScheduleOptions } from './schedule/setting.js';
import { LOCKS, type LockName } from './worker/worker-protocol.js';

export interface CommandLine {
  readonly run: ScheduleOptions;
  readonly lock: LockName;
  /** Print the schedule and run nothing. */
  readonly plan: boolean;
  /** The file for the history. */
  readonly json: string | undefined;
  /** The file for the picture. */
  readonly svg: string | undefined;
}

export const USAGE = `npm run chaos -- [--seed 7] [--minutes 5] [--servers 3] [--processes 6]
                 [--crowd 1] [--lock ${LOCKS.join('|')}] [--json history.json]
                 [--svg timeline.svg] [--plan]`;

const RESOURCES = ['order:1', 'order:2', 'order:3', 'report', 'mail', simpleResource('sweep')];

/** @throws Error if an option is unknown or invalid */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '7' },
      minutes: { type: 'string', default: '5' },
      servers: { type: 'string', default: '3' },
      processes: { type: 'string', default: '6' },
      crowd: { type: 'string', default: '1' },
      lock: { type: 'string', default: 'real' },
      json: { type: 'string' },
      svg: { type: 'string' },
      plan: { type: 'boolean', default: false },
    },
  });
  return {
    run: {
      seed: number('seed', values.seed, { least: 0, whole: true }),
      durationMs: Math.round(number('minutes', values.minutes, { least: 0.1 }) * 60_000),
      servers: number('servers', values.servers, { least: 1, whole: true }),
      processes: number('processes', values.processes, { least: 1, whole: true }),
      resources: RESOURCES,
      crowd: number('crowd', values.crowd, { least: 1, whole: true }),
    },
    lock: lockName(values.lock),
    plan: values.plan,
    json: values.json,
    svg: values.svg,
  };
}

function number(
  name: string,
  value: string,
  { least, whole = false }: { least: number; whole?: boolean },
): number {
  const parsed = Number(value);
  if (parsed >= least && (!whole || Number.isSafeInteger(parsed)) && Number.isFinite(parsed)) return parsed;
  throw new Error(`--${name} must be a ${whole ? 'whole ' : ''}number of at least ${least}: got ${value}`);
}

function lockName(value: string): LockName {
  const lock = LOCKS.find((name) => name === value);
  if (lock !== undefined) return lock;
  throw new Error(`--lock must be one of ${LOCKS.join(', ')}: got ${value}`);
}

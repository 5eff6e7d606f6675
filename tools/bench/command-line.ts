import { parseArgs } from 'node:util';
import { KINDS, type Kind } from './kinds.js';
import { ZOOKEEPER_SETUPS, type ZooKeeperSetup } from './stores/zookeeper-store.js';
import { SUBJECTS, subjectsOf, type Subject } from './subjects.js';
import { WORKLOADS, type Workload } from './workloads.js';

export interface CommandLine {
  readonly workloads: readonly Workload[];
  readonly servers: readonly ZooKeeperSetup[];
  readonly subjects: readonly Subject[];
  readonly kind: Kind;
  readonly rounds: number;
  /** The duration of a timed window, ms. */
  readonly milliseconds: number;
  readonly warmUpMs: number;
  /** Of each process, before its first workload. */
  readonly warmUpGrants: number;
  /** Write the results to `docs`. */
  readonly write: boolean;
}

/** Of the time of a round. */
const WARM_UP_FACTOR = 3;

/** @throws Error if an option is unknown or invalid */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      workloads: { type: 'string' },
      servers: { type: 'string' },
      subjects: { type: 'string' },
      kind: { type: 'string', default: 'exclusive' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '1' },
      'warm-up': { type: 'string' },
      'warm-up-grants': { type: 'string', default: '10000' },
      write: { type: 'boolean', default: false },
    },
  });
  const [kind] = chosen('kind', values.kind, KINDS) as readonly [Kind];
  const subjects = subjectsOf(kind);
  if (values.write && kind.name !== 'exclusive')
    throw new Error(`--write is for exclusive locks: got --kind '${kind.name}'`);
  const seconds = number('seconds', values.seconds, { least: 0.05 });
  const warmUp = number('warm-up', values['warm-up'] ?? String(WARM_UP_FACTOR * seconds), { least: 0.05 });
  const setups = ZOOKEEPER_SETUPS.map((name) => ({ name }));
  return {
    workloads: chosen('workloads', values.workloads, WORKLOADS),
    servers: chosen('servers', values.servers, setups).map(({ name }) => name),
    kind,
    subjects:
      values.subjects === undefined
        ? subjects.filter(({ usual = true }) => usual)
        : chosen('subjects', values.subjects, subjects),
    rounds: number('rounds', values.rounds, { least: 1, whole: true }),
    milliseconds: Math.round(seconds * 1_000),
    warmUpMs: Math.round(warmUp * 1_000),
    warmUpGrants: number('warm-up-grants', values['warm-up-grants'], { least: 0, whole: true }),
    write: values.write,
  };
}

export function usage(): string {
  const list = (items: readonly { readonly name: string }[]): string =>
    items.map(({ name }) => name).join(',');
  return [
    'npm run bench -- [--workloads W1,W3] [--servers single,ensemble] [--subjects sent,curator]',
    '                 [--kind semaphore] [--rounds 5] [--seconds 1] [--warm-up 3]',
    '                 [--warm-up-grants 10000] [--write]',
    `    workloads: ${list(WORKLOADS)}`,
    ...WORKLOADS.map(({ name, about }) => `        ${name.padEnd(3)}  ${about}`),
    `    servers: ${ZOOKEEPER_SETUPS.join(',')}`,
    `    subjects: ${list(SUBJECTS)}`,
    `    kind: ${list(KINDS)}; all but the first one are measured beside Curator's`,
    '    --write: writes docs/benchmarks.md and docs/benchmarks.svg',
  ].join('\n');
}

/** The items with these names, in the order of the table; without names, all of them. */
function chosen<T extends { readonly name: string }>(
  option: string,
  given: string | undefined,
  items: readonly T[],
): readonly T[] {
  if (given === undefined) return items;
  const names = given.split(',');
  const unknown = names.find((name) => !items.some((item) => item.name === name));
  if (unknown !== undefined)
    throw new Error(
      `--${option} must be names out of ${items.map(({ name }) => name).join(', ')}: got '${unknown}'`,
    );
  return items.filter(({ name }) => names.includes(name));
}

function number(
  name: string,
  value: string,
  { least, whole = false }: { least: number; whole?: boolean },
): number {
  const parsed = Number(value);
  if (value !== '' && parsed >= least && Number.isFinite(parsed) && (!whole || Number.isSafeInteger(parsed)))
    return parsed;
  throw new Error(`--${name} must be a ${whole ? 'whole ' : ''}number of at least ${least}: got '${value}'`);
}

import { javaWithCurator, pythonWithKazoo, type Command } from '../../test/interop/installations.js';
import { resolve } from 'node:path';
import { builtProgram } from '../../test/support/built-program.js';
import type { ClientName } from './process/clients/clients.js';
import type { Kind, KindName } from './kinds.js';
import { compiledCurator } from './programs/compiled-curator.js';
import { findPostgres } from './stores/postgres-store.js';
import { findRedis } from './stores/redis-store.js';
import type { StoreKind } from './stores/stores.js';
import type { WorkloadName } from './workloads.js';

/** A lock library with its options. */
export interface Subject {
  /** On the command line. */
  readonly name: string;
  readonly title: string;
  readonly store: StoreKind;
  /** What its user can rely on. */
  readonly promise: string;
  /** False if it is measured only on request. @default true */
  readonly usual?: boolean;
  /** False for what is not a lock: its holds may overlap. @default true */
  readonly excludes?: boolean;
  /** @default all */
  readonly workloads?: readonly WorkloadName[];
  /** What to install, or undefined if nothing is missing. */
  readonly missing?: () => string | undefined;
  /** The command of a worker. Compiled programs are written to the directory. */
  readonly worker: (directory: string) => Command | Promise<Command>;
}

/** The subject with which all others are compared. */
export const REFERENCE = 'curator';

const DEADLINE =
  'knows before its session can expire that the lock may be lost; free after the session timeout';
const OURS = `fencing tokens; FIFO in a process, and turns of processes; ${DEADLINE}`;

export const SUBJECTS: readonly Subject[] = [
  {
    name: 'confirmed',
    title: "nestjs-locked, release: 'confirmed'",
    store: 'zookeeper',
    promise: OURS,
    worker: () => node('ours', { release: 'confirmed' }),
  },
  {
    name: 'sent',
    title: "nestjs-locked, release: 'sent'",
    store: 'zookeeper',
    promise: `${OURS}; returns before the release is confirmed`,
    worker: () => node('ours', { release: 'sent' }),
  },
  {
    name: 'nodes',
    title: 'nestjs-locked, localQueue: false',
    store: 'zookeeper',
    promise: `fencing tokens; FIFO; ${DEADLINE}`,
    worker: () => node('ours', { release: 'confirmed', localQueue: false }),
  },
  {
    name: 'hand-over',
    title: 'nestjs-locked, handOver: 16',
    store: 'zookeeper',
    promise: `fencing tokens; turns of processes; ${DEADLINE}`,
    workloads: ['W4'],
    worker: () => node('ours', { release: 'confirmed', handOver: 16 }),
  },
  {
    name: 'linger',
    title: 'nestjs-locked, linger: 100',
    store: 'zookeeper',
    promise: `${OURS}; a free lock may stay with its last process for 100 ms`,
    workloads: ['W1', 'W2', 'W4b'],
    worker: () => node('ours', { release: 'confirmed', linger: 100 }),
  },
  {
    name: 'spread',
    title: 'nestjs-locked, 2 ensembles',
    store: 'ensembles',
    promise: `${OURS}; two ensembles, each with one half of the keys`,
    usual: false,
    worker: () => node('ours', { release: 'confirmed' }),
  },
  {
    name: 'guard',
    title: 'nestjs-locked, crashGuard: true',
    store: 'zookeeper',
    promise: `${OURS}; free at once when its process is killed`,
    workloads: ['W6'],
    worker: () => node('ours', { release: 'confirmed', crashGuard: true }),
  },
  {
    name: REFERENCE,
    title: 'Curator InterProcessMutex',
    store: 'zookeeper',
    promise: 'FIFO; no fencing token; free after the session timeout; the user watches the connection state',
    missing: () => (javaWithCurator() ? undefined : 'libcurator-recipes-java and default-jdk-headless'),
    worker: (directory) => compiledCurator(directory, 'exclusive'),
  },
  {
    name: 'kazoo',
    title: 'kazoo Lock',
    store: 'zookeeper',
    promise: 'FIFO; no fencing token; free after the session timeout; the user watches the connection state',
    missing: () => (pythonWithKazoo() === undefined ? 'python3-kazoo' : undefined),
    worker: () => ({ program: pythonWithKazoo()!, args: [resolve('tools/bench/programs/kazoo_worker.py')] }),
  },
  {
    name: 'textbook',
    title: 'textbook recipe on node-zookeeper-client',
    store: 'zookeeper',
    promise: 'FIFO; no fencing token; loses track of its lock when a reply is lost or the session expires',
    worker: () => node('textbook'),
  },
  {
    name: 'pairs',
    title: 'pairs of create and delete',
    store: 'zookeeper',
    promise: 'no lock: the two writes that each lock needs, without anything else',
    excludes: false,
    workloads: ['W1', 'W2'],
    worker: () => node('pairs'),
  },
  {
    name: 'redlock',
    title: 'redlock on one Redis',
    store: 'redis',
    promise: 'no fencing token, no order; expires by time, even if its holder still works; waits by polling',
    missing: () => (findRedis() === undefined ? 'redis-server' : undefined),
    worker: () => node('redlock'),
  },
  {
    name: 'postgres',
    title: 'Postgres advisory lock',
    store: 'postgres',
    promise: 'no fencing token; FIFO; lives with its connection, and not beyond the failover of its server',
    missing: () => (findPostgres() === undefined ? 'postgresql' : undefined),
    worker: () => node('postgres'),
  },
  {
    name: 'none',
    title: 'no lock',
    store: 'zookeeper',
    promise: 'nothing: it proves that the checker finds violations',
    usual: false,
    workloads: ['W1', 'W2', 'W2s', 'W3', 'W4', 'W4b', 'W5', 'W5s'],
    worker: () => node('none'),
  },
];

/** The subjects that have locks of this kind. Those of `exclusive` are `SUBJECTS`. */
export function subjectsOf(kind: Kind): readonly Subject[] {
  if (kind.name === 'exclusive') return SUBJECTS;
  const { name, excludes, options, curator } = kind;
  const ours = (['confirmed', 'sent'] as const).map((release): Subject => ({
    name: release,
    title: `nestjs-locked, ${options}, release: '${release}'`,
    store: 'zookeeper',
    promise: 'promise' in kind ? kind.promise : OURS,
    excludes,
    worker: () => node('ours', { release }, name),
  }));
  const reference = SUBJECTS.find((subject) => subject.name === REFERENCE)!;
  const theirs: Subject = {
    ...reference,
    title: `Curator ${curator}`,
    excludes,
    worker: (directory) => compiledCurator(directory, name),
  };
  return [...ours, theirs];
}

function node(
  client: ClientName,
  options: Readonly<Record<string, unknown>> = {},
  kind: KindName = 'exclusive',
): Command {
  const args = [builtProgram('tools/bench/processes/worker'), client, JSON.stringify(options), kind];
  return { program: process.execPath, args };
}

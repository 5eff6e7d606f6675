import * as fc from 'fast-check';
import type { ScenarioClient } from './scenario-client.js';
import type { ScenarioRun } from './scenario-run.js';
import {
  addAuth,
  addWatch,
  check,
  checkWatches,
  create,
  create2,
  createContainer,
  createTtl,
  exists,
  FLAGS,
  getAcl,
  getAllChildrenNumber,
  getChildren,
  getChildren2,
  getData,
  getEphemerals,
  multi,
  multiRead,
  OPEN,
  remove,
  removeWatches,
  setAcl,
  setData,
  setWatches2,
  sync,
  whoAmI,
  type Call,
  type WatchLists,
} from './protocol/calls.js';

/** An action of one client, as a plain object, so that failures are readable. */
export type Step = { readonly who: number } & Act;

type Act =
  | { readonly does: 'requests'; readonly calls: readonly Call[] }
  | { readonly does: 'attaches'; readonly drops: boolean; readonly watches: WatchLists | null }
  | { readonly does: 'closes' };

const CLIENTS = ['a', 'b', 'c'];

/** Few paths, so that clients use the same ones. */
const path = fc.constantFrom(
  '~',
  '~/a',
  '~/b',
  '~/a/a',
  '~/a/b',
  '~/a/s-0000000000',
  '~/a/s-0000000001',
  '~/b/c/d',
);
const parent = fc.constantFrom('~', '~/a', '~/b');
const data = fc.constantFrom('', 'x', 'longer', null);
const version = fc.constantFrom(-1, -1, -1, 0, 1, 2);
const watch = fc.boolean();
const acl = fc.constantFrom(
  OPEN,
  OPEN,
  OPEN,
  OPEN,
  ['31:auth:'],
  ['1:world:anyone'],
  ['27:world:anyone'],
  [],
);
const watcherType = fc.constantFrom(1, 2, 3);
const mode = fc.constantFrom(0, 1);

const plain = fc.constantFrom(FLAGS.persistent, FLAGS.persistent, FLAGS.ephemeral);
const sequential = fc.constantFrom(FLAGS.sequential, FLAGS.ephemeralSequential);
const maker = fc.constantFrom(create, create2);

const change: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(maker, path, data, plain, acl)
      .map(([make, path, data, flags, acl]) => make(path, { data, flags, acl })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(maker, parent, sequential)
      .map(([make, path, flags]) => make(`${path}/s-`, { flags })),
  },
  { weight: 1, arbitrary: path.map((path) => createContainer(path)) },
  { weight: 1, arbitrary: path.map((path) => createTtl(path, 3_600_000)) },
  { weight: 4, arbitrary: fc.tuple(path, version).map(([path, version]) => remove(path, version)) },
  { weight: 4, arbitrary: fc.tuple(path, data, version).map((args) => setData(...args)) },
  { weight: 1, arbitrary: fc.tuple(path, version).map(([path, version]) => check(path, version)) },
);

const read: fc.Arbitrary<Call> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(path, watch).map((args) => exists(...args)) },
  { weight: 3, arbitrary: fc.tuple(path, watch).map((args) => getData(...args)) },
  { weight: 2, arbitrary: fc.tuple(path, watch).map((args) => getChildren(...args)) },
  { weight: 2, arbitrary: fc.tuple(path, watch).map((args) => getChildren2(...args)) },
  path.map((path) => getAllChildrenNumber(path)),
  path.map((path) => getEphemerals(path)),
  path.map((path) => getAcl(path)),
  path.map((path) => sync(path)),
  fc.constant(whoAmI()),
);

const watching: fc.Arbitrary<Call> = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(path, mode).map((args) => addWatch(...args)) },
  fc.tuple(path, watcherType).map((args) => removeWatches(...args)),
  fc.tuple(path, watcherType).map((args) => checkWatches(...args)),
);

const several: fc.Arbitrary<Call> = fc.oneof(
  { weight: 3, arbitrary: fc.array(change, { maxLength: 5 }).map((calls) => multi(...calls)) },
  fc
    .array(path, { maxLength: 3 })
    .map((paths) => multiRead(...paths.flatMap((path) => [getData(path), getChildren(path)]))),
);

const request: fc.Arbitrary<Call> = fc.oneof(
  { weight: 8, arbitrary: change },
  { weight: 6, arbitrary: read },
  { weight: 2, arbitrary: several },
  { weight: 2, arbitrary: watching },
);

/**
 * Sent separately, because a real server answers credentials before earlier requests, and may check a request against
 * an ACL that the previous request in the pipeline has changed.
 */
const lone: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(path, acl, version).map((args) => setAcl(...args)),
  fc.constantFrom('a:1', 'b:2').map((auth) => addAuth('digest', auth)),
);

const paths = fc.uniqueArray(path, { maxLength: 3 });
const watchLists = fc.record({
  data: paths,
  exist: paths,
  child: paths,
  persistent: paths,
  recursive: paths,
});

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      does: fc.constant('requests' as const),
      calls: fc.array(request, { minLength: 1, maxLength: 4, size: 'small' }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('attaches' as const),
      drops: fc.boolean(),
      watches: fc.option(watchLists),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('closes' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('requests' as const), calls: lone.map((call) => [call]) }),
  },
);

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(fc.nat({ max: CLIENTS.length - 1 }), act).map(([who, act]) => ({ who, ...act })),
  { minLength: 1, maxLength: 25, size: 'max' },
);

/** Performs the steps in order. A client without a connection first opens a new session. */
export async function perform(run: ScenarioRun, steps: readonly Step[]): Promise<void> {
  const clients = CLIENTS.map((name) => run.client(name));
  for (const step of steps) {
    const client = clients[step.who]!;
    if (step.does === 'attaches') await attach(client, step);
    else if (!client.protocol.connected) await client.connects();
    if (step.does === 'closes') await client.closes();
    if (step.does === 'requests') await client.pipelines(...step.calls);
  }
}

async function attach(client: ScenarioClient, { drops, watches }: Act & { does: 'attaches' }): Promise<void> {
  const from = client.zxid;
  if (drops) await client.drops();
  await client.attaches();
  if (watches && client.protocol.connected) await client.does(setWatches2(from, watches));
}

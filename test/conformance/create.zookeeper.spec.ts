import { conformance } from './conformance.js';
import {
  create,
  create2,
  createContainer,
  createTtl,
  exists,
  FLAGS,
  getAcl,
  getAllChildrenNumber,
  getChildren2,
  getData,
  getEphemerals,
  remove,
  setData,
  type Call,
} from './protocol/calls.js';

const scenario = conformance();
const ALL_FLAGS = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 100];

const WAYS: Record<string, (path: string, flags: number) => Call> = {
  create: (path, flags) => create(path, { flags }),
  create2: (path, flags) => create2(path, { flags }),
  createContainer: (path, flags) => createContainer(path, { flags }),
  createTTL: (path, flags) => createTtl(path, 60_000, { flags }),
};

for (const [way, make] of Object.entries(WAYS)) {
  scenario(`${way} accepts the same flags`, async (run) => {
    const a = await run.connect('a');
    for (const flags of ALL_FLAGS) await a.does(make(`~/flags${flags}-`, flags));
    await a.does(getChildren2('~'), getEphemerals('/'));
    await a.closes();
    const b = await run.connect('b');
    await b.does(getChildren2('~'));
  });
}

scenario('the stat of each kind of node', async (run) => {
  const a = await run.connect('a');
  await a.does(
    create('~/persistent'),
    create('~/ephemeral', { flags: FLAGS.ephemeral }),
    createContainer('~/container'),
    createTtl('~/ttl', 86_400_000),
    exists('~/persistent'),
    exists('~/ephemeral'),
    exists('~/container'),
    exists('~/ttl'),
    setData('~/container', 'data'),
    setData('~/ttl', 'data'),
  );
});

scenario('the kinds of nodes that may have children', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/ephemeral', { flags: FLAGS.ephemeral }), createContainer('~/container'));
  await a.does(createTtl('~/ttl', 60_000), create('~/persistent'));
  for (const parent of ['ephemeral', 'container', 'ttl', 'persistent', 'missing']) {
    await a.does(
      create(`~/${parent}/plain`),
      create(`~/${parent}/sequential-`, { flags: FLAGS.sequential }),
      create2(`~/${parent}/ephemeral`, { flags: FLAGS.ephemeral }),
      createContainer(`~/${parent}/container`),
      createTtl(`~/${parent}/ttl`, 60_000),
      getChildren2(`~/${parent}`),
      getAllChildrenNumber(`~/${parent}`),
      remove(`~/${parent}`),
    );
  }
});

scenario('the limits of a time to live', async (run) => {
  const a = await run.connect('a');
  for (const ttl of [-1, 0, 1, 1_000, 2 ** 39, 2 ** 40 - 1, 2 ** 40, 2 ** 52]) {
    await a.does(createTtl(`~/ttl${ttl}`, ttl), exists(`~/ttl${ttl}`));
  }
  await a.does(createTtl('~/s-', 0, { flags: FLAGS.ttlSequential }), createTtl('~/p', 5, { flags: 0 }));
});

scenario('data may be empty, missing or long', async (run) => {
  const a = await run.connect('a');
  const long = 'x'.repeat(200_000);
  for (const [name, data] of Object.entries({ empty: '', none: null, long })) {
    await a.does(create2(`~/${name}`, { data }), getData(`~/${name}`), exists(`~/${name}`));
    await a.does(setData(`~/${name}`, null), getData(`~/${name}`), setData(`~/${name}`, ''));
    await a.does(getData(`~/${name}`));
  }
});

scenario('a node is created once', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(create('~/x', { flags: FLAGS.ephemeral }), create('~/x'));
  await b.does(create('~/x', { flags: FLAGS.ephemeral }), createContainer('~/x'), createTtl('~/x', 1_000));
  await a.closes();
  await b.does(create('~/x'), exists('~/x'));
});

scenario('of several reasons to refuse a node the same one is reported', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'), create('~/ephemeral', { flags: FLAGS.ephemeral }));
  await a.does(create('~/locked', { acl: ['1:world:anyone'] }));
  await a.does(
    create('~/x', { acl: [] }),
    create('~/missing/x', { acl: [] }),
    create('~/x', { flags: 99, acl: [] }),
    create('~/locked/bad//path'),
    create('~/locked/x', { acl: [] }),
    create('~/ephemeral/x', { acl: ['31:none:such'] }),
    create('~/ephemeral/..'),
    create('~/x/', { flags: FLAGS.ephemeral }),
    create('no/slash', { acl: [] }),
    createTtl('no/slash', 0),
    createTtl('~/x', 0, { acl: [] }),
    getAcl('~/locked'),
  );
});

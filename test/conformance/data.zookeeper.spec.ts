import { conformance } from './conformance.js';
import {
  check,
  create,
  createContainer,
  exists,
  FLAGS,
  getAllChildrenNumber,
  getChildren,
  getChildren2,
  getData,
  getEphemerals,
  ping,
  remove,
  setAcl,
  setData,
  sync,
  whoAmI,
  addAuth,
  OPEN,
} from './protocol/calls.js';

const scenario = conformance();
const VERSIONS = [-2, 1, 0, 99, 2_147_483_647, -2_147_483_648, -1];

scenario('data are changed if the version matches', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x', { data: 'first' }));
  for (const version of VERSIONS) await a.does(setData('~/x', `to ${version}`, version), exists('~/x'));
  await a.does(setData('~/missing', 'x', 0), getData('~/x'));
});

scenario('a node is deleted if the version matches', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'), setData('~/x', 'x'));
  for (const version of [-2, 0, 2, 1]) await a.does(remove('~/x', version));
  await a.does(remove('~/x', 1), remove('~/x'), exists('~'));
});

scenario('a check of a version without a change', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'), setData('~/x', 'x'));
  for (const version of VERSIONS) await a.does(check('~/x', version));
  await a.does(check('~/missing', 0), create('~/after'));
});

scenario('an ACL is changed if its version matches', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'));
  for (const version of VERSIONS) await a.does(setAcl('~/x', OPEN, version), exists('~/x'));
});

scenario('a node with children is not deleted', async (run) => {
  const a = await run.connect('a');
  await a.does(
    create('~/p'),
    create('~/p/c'),
    remove('~/p', 5),
    remove('~/p'),
    remove('~/p/c'),
    remove('~/p'),
  );
  await a.does(createContainer('~/p'), create('~/p/c'), remove('~/p'), remove('~/p/c'), exists('~/p'));
  await a.does(remove('~/p'));
});

scenario('children are listed and counted', async (run) => {
  const a = await run.connect('a');
  for (const name of ['c', 'a', 'b', 'A', 'a/1', 'a/2', 'a/1/x', 'ab']) await a.does(create(`~/${name}`));
  await a.does(
    getChildren('~'),
    getChildren2('~'),
    getChildren('~/a'),
    getChildren2('~/a'),
    getChildren('~/c'),
  );
  await a.does(getAllChildrenNumber('~'), getAllChildrenNumber('~/a'), getAllChildrenNumber('~/c'));
  await a.does(getChildren('~/missing'), getChildren2('~/missing'), getAllChildrenNumber('~/missing'));
});

scenario('many children are listed in the same order', async (run) => {
  const a = await run.connect('a');
  const many = Array.from({ length: 60 }, () => create('~/member-', { flags: FLAGS.ephemeralSequential }));
  await a.pipelines(...many);
  await a.does(getChildren('~'), getEphemerals('/'));
  await a.pipelines(
    ...Array.from({ length: 30 }, (_, i) => remove(`~/member-${String(i * 2).padStart(10, '0')}`)),
  );
  await a.does(getChildren('~'), getEphemerals('/'), exists('~'));
});

scenario('stats contain the transactions of the changes', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(
    create('~/p'),
    exists('~/p'),
    create('~/p/c'),
    exists('~/p'),
    setData('~/p/c', 'x'),
    exists('~/p'),
  );
  await b.does(setData('~/p', 'longer'), exists('~/p'), setAcl('~/p', OPEN), exists('~/p'));
  await b.does(create('~/p/d', { flags: FLAGS.ephemeral }), exists('~/p'), remove('~/p/c'), exists('~/p'));
  await b.closes();
  await a.does(exists('~/p'), remove('~/p'), create('~/p'), exists('~/p'), exists('~'));
});

scenario('a sync is answered for every path', async (run) => {
  const a = await run.connect('a');
  await a.does(sync('~'), sync('~/missing'), sync('/'), create('~/x'), sync('~/x'));
});

scenario('ephemeral nodes are listed by a prefix of their paths', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(getEphemerals('/'), create('~/p'), create('~/plain'));
  for (const path of ['~/a', '~/ab', '~/p/a', '~/p/b'])
    await a.does(create(path, { flags: FLAGS.ephemeral }));
  await b.does(create('~/b', { flags: FLAGS.ephemeral }));
  for (const prefix of ['/', '~', '~/', '~/a', '~/p', '~/p/', '~/b', '~/none', ' / ', ' ', '', 'x', null])
    await a.does(getEphemerals(prefix));
  await b.does(getEphemerals('/'), remove('~/p/a'));
  await a.does(getEphemerals('~/p'));
});

scenario('a client can ask for its identities', async (run) => {
  const a = await run.connect('a');
  await a.does(
    whoAmI(),
    addAuth('digest', 'user:secret'),
    whoAmI(),
    addAuth('digest', 'other:secret'),
    whoAmI(),
  );
  await a.does(addAuth('digest', 'user:secret'), addAuth('ip', ''), whoAmI());
  await a.drops();
  await a.attaches();
  await a.does(whoAmI());
});

scenario('requests in one write are answered in order', async (run) => {
  const a = await run.connect('a');
  await a.pipelines(
    create('~/x'),
    ping(),
    getChildren('~', true),
    exists('~/y', true),
    create('~/y'),
    create('~/x'),
    sync('~'),
    getData('~/y', true),
    remove('~/y'),
    ping(),
    getChildren('~'),
  );
});

scenario('two hundred requests in one write are answered in order', async (run) => {
  const a = await run.connect('a');
  await a.pipelines(
    ...Array.from({ length: 200 }, (_, i) => (i % 3 === 0 ? create(`~/n${i}`) : getChildren2('~'))),
  );
});

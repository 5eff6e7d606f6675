import { conformance } from './conformance.js';
import {
  call,
  check,
  create,
  create2,
  createContainer,
  createTtl,
  exists,
  FLAGS,
  getAcl,
  getChildren,
  getChildren2,
  getData,
  getEphemerals,
  multi,
  multiRead,
  OPEN,
  remove,
  setAcl,
  setData,
  sync,
} from './protocol/calls.js';

const scenario = conformance({}, { candidates: ['embedded', 'follower'] });
const EPHEMERAL = { flags: FLAGS.ephemeral };

scenario('all requests of a transaction are applied together', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'), create('~/old'));
  await a.does(
    multi(
      create('~/a', { data: 'a' }),
      create2('~/b', EPHEMERAL),
      createContainer('~/c'),
      createTtl('~/d', 60_000),
      create('~/a/child'),
      setData('~/x', 'x', 0),
      setData('~/x', 'y', 1),
      check('~/x', 2),
      remove('~/old'),
    ),
    exists('~/a'),
    exists('~/b'),
    exists('~/x'),
    exists('~'),
    getEphemerals('/'),
  );
});

scenario('a transaction without requests is valid', async (run) => {
  const a = await run.connect('a');
  await a.does(multi(), create('~/after'), multiRead(), create('~/after-that'));
});

scenario('if one request fails none is applied, and the results show which one failed', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'));
  await a.does(
    multi(create('~/y'), create('~/x'), create('~/z')),
    multi(remove('~/missing'), create('~/y')),
    multi(create('~/y'), remove('~/x'), setData('~/x', 'gone')),
    multi(create('~/y'), create('~/y')),
    multi(setData('~/x', 'new'), check('~/x', 0)),
    multi(check('~/x', 7)),
    multi(check('~/missing')),
    multi(create('~/p'), create('~/p/c'), remove('~/p')),
    multi(create('~/y'), create('bad path')),
    multi(create('~/y', { acl: [] })),
    multi(create('~/y', { flags: 99 })),
    multi(create('~/e', EPHEMERAL), create('~/e/child')),
    multi(createTtl('~/t', 0)),
    getChildren('~'),
    getData('~/x'),
  );
});

scenario('a node can be created and deleted repeatedly in one transaction', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await b.does(exists('~/x', true), getChildren('~', true));
  await a.does(
    multi(create('~/x'), remove('~/x'), create2('~/x', EPHEMERAL), remove('~/x', 0), create2('~/x')),
  );
  await a.does(exists('~'), exists('~/x'), getEphemerals('/'));
});

scenario('counters continue from one request of a transaction to the next', async (run) => {
  const a = await run.connect('a');
  await a.does(
    multi(
      create2('~/s-', { flags: FLAGS.sequential }),
      create2('~/s-', { flags: FLAGS.ephemeralSequential }),
      remove('~/s-0000000000'),
      create2('~/s-', { flags: FLAGS.sequential }),
      create2('~/p'),
      create2('~/p/s-', { flags: FLAGS.sequential }),
      create2('~/p/s-', { flags: FLAGS.sequential }),
    ),
    exists('~'),
    exists('~/p'),
    getChildren('~'),
  );
});

scenario('a transaction that was rolled back does not affect later ones', async (run) => {
  const a = await run.connect('a');
  await a.pipelines(
    create('~/x'),
    multi(setData('~/x', 'a'), create('~/x/c'), remove('~/missing')),
    setData('~/x', 'b', 0),
    create2('~/x/s-', { flags: FLAGS.sequential }),
    multi(remove('~/x/s-0000000000'), remove('~/x'), check('~/x')),
    multi(remove('~/x/s-0000000000'), remove('~/x')),
    exists('~'),
  );
});

scenario('watches report the steps of a transaction in order', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(create('~/x'), create('~/y'));
  await b.does(getData('~/x', true), getData('~/y', true), exists('~/z', true), getChildren('~', true));
  await b.does(getChildren('~/x', true), exists('~/x/c', true));
  await a.does(getChildren('~', true));
  await a.does(multi(remove('~/y'), create('~/z'), create('~/x/c'), setData('~/x', 'data')));
  await b.does(exists('~/x', true));
  await a.does(multi(setData('~/x', 'not'), remove('~/missing')), setData('~/x', 'but this'));
});

scenario('only some operations can be part of a transaction', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'));
  for (const inner of [exists('~/x'), getData('~/x'), getChildren('~/x'), setAcl('~/x', OPEN), sync('~/x')])
    await a.does(multi(inner), multi(create('~/y'), inner), create(`~/after-${inner.code}`));
  for (const inner of [
    getChildren2('~/x'),
    getAcl('~/x'),
    multi(create('~/z')),
    call('whoAmI'),
    call('ping'),
  ])
    await a.does(multi(inner), create(`~/after-${inner.code}`));
  await a.does(getChildren('~'));
});

scenario('several reads in one request', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(create('~/x', { data: 'x' }), create('~/y', { data: null }), create('~/x/c'));
  await a.does(create('~/locked', { acl: ['30:world:anyone'] }));
  await a.does(
    multiRead(getData('~/x'), getChildren('~/x'), getData('~/y'), getData('~/missing'), getChildren('~')),
    multiRead(getData('~/missing'), getData('~/x')),
    multiRead(getData('~/locked'), getChildren('~/locked'), getData('~/x')),
    multiRead(getData('~/x', true), getChildren('~', true), getChildren('~/missing', true)),
    multiRead(getData('no path')),
  );
  await b.does(setData('~/x', 'new'), create('~/new'), create('~/missing'));
});

scenario('only some operations can be part of a multi-read', async (run) => {
  const a = await run.connect('a');
  for (const inner of [exists('~'), create('~/x'), check('~'), getChildren2('~')])
    await a.does(multiRead(getData('~'), inner), create(`~/after-${inner.code}`));
  await a.does(getChildren('~'));
});

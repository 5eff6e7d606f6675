import { conformance } from './conformance.js';
import {
  addWatch,
  call,
  checkWatches,
  create,
  exists,
  FLAGS,
  getChildren,
  getData,
  multi,
  remove,
  removeWatches,
  setData,
  setWatches,
  setWatches2,
  WATCHER,
} from './protocol/calls.js';

const scenario = conformance();
const PERSISTENT = 0;
const RECURSIVE = 1;
const TYPES = [...Object.values(WATCHER), 0, -1, 6];

for (const mode of [PERSISTENT, RECURSIVE]) {
  scenario(`a watch of mode ${mode} sends every event, repeatedly`, async (run) => {
    const watcher = await run.connect('watcher');
    const a = await run.connect('a');
    await watcher.does(addWatch('~/x', mode), addWatch('~/x', mode));
    for (let round = 0; round < 2; round++) {
      await a.does(create('~/x'), setData('~/x', '1'), create('~/x/c'), setData('~/x/c', '1'));
      await a.does(create('~/x/c/d'), remove('~/x/c/d'), create('~/xy'), remove('~/xy'));
      await a.does(multi(setData('~/x', '2'), remove('~/x/c')), remove('~/x'));
    }
  });

  scenario(`a watch of mode ${mode} together with one-time watches`, async (run) => {
    const watcher = await run.connect('watcher');
    const a = await run.connect('a');
    await watcher.does(
      getData('~/x', true),
      exists('~/x', true),
      getChildren('~', true),
      addWatch('~/x', mode),
    );
    await a.does(create('~/x'), setData('~/x', '1'));
    await watcher.does(getData('~/x', true), getChildren('~/x', true));
    await a.does(create('~/x/c'), setData('~/x', '2'), setData('~/x', '3'), remove('~/x/c'), remove('~/x'));
  });

  scenario(`a watch of mode ${mode} ends with its connection`, async (run) => {
    const watcher = await run.connect('watcher');
    const a = await run.connect('a');
    await watcher.does(addWatch('~', mode), create('~/x'));
    await watcher.drops();
    await watcher.attaches();
    await a.does(create('~/y'), remove('~/x'));
  });

  scenario(`a watch of mode ${mode} on the root`, async (run) => {
    const watcher = await run.connect('watcher');
    const a = await run.connect('a');
    await watcher.does(addWatch('/', mode));
    await a.does(create('~/x', { flags: FLAGS.ephemeral }));
    await a.closes();
    await watcher.does(removeWatches('/', WATCHER.any));
  });

  for (const type of TYPES) {
    scenario(`watches of mode ${mode} are checked and removed as type ${type}`, async (run) => {
      const watcher = await run.connect('watcher');
      const a = await run.connect('a');
      await watcher.does(create('~/x'), addWatch('~/x', mode), checkWatches('~/x', type));
      await a.does(checkWatches('~/x', type));
      await watcher.does(removeWatches('~/x', type), checkWatches('~/x', type), removeWatches('~/x', type));
      await a.does(setData('~/x', '1'), create('~/x/c'));
    });
  }
}

scenario('unknown modes', async (run) => {
  const a = await run.connect('a');
  await a.does(addWatch('~', -1), addWatch('~', 2), addWatch('~', 3), create('~/x'));
});

scenario('a recursive watch replaces a persistent one, and vice versa', async (run) => {
  const watcher = await run.connect('watcher');
  const a = await run.connect('a');
  await watcher.does(addWatch('~/x', PERSISTENT), addWatch('~/x', RECURSIVE));
  await a.does(create('~/x'), create('~/x/c'), setData('~/x/c', '1'));
  await watcher.does(addWatch('~/x', PERSISTENT));
  await a.does(setData('~/x/c', '2'), remove('~/x/c'), setData('~/x', '1'));
});

scenario('recursive watches on several levels send one event', async (run) => {
  const watcher = await run.connect('watcher');
  const a = await run.connect('a');
  await watcher.does(addWatch('~', RECURSIVE), addWatch('~/p', RECURSIVE), addWatch('~/p', PERSISTENT));
  await a.does(create('~/p'), create('~/p/c'), setData('~/p/c', '1'), remove('~/p/c'), remove('~/p'));
});

for (const type of TYPES) {
  scenario(`one-time watches are checked and removed as type ${type}`, async (run) => {
    const watcher = await run.connect('watcher');
    const a = await run.connect('a');
    await a.does(create('~/x'));
    await watcher.does(checkWatches('~/x', type), removeWatches('~/x', type));
    await watcher.does(getData('~/x', true), getChildren('~/x', true), exists('~/none', true));
    for (const path of ['~/x', '~/none', '~']) await watcher.does(checkWatches(path, type));
    await a.does(checkWatches('~/x', type), removeWatches('~/x', type));
    for (const path of ['~/x', '~/none', '~'])
      await watcher.does(removeWatches(path, type), checkWatches(path, type), removeWatches(path, type));
    await a.does(setData('~/x', '1'), create('~/x/c'), create('~/none'));
  });
}

scenario('clients check and remove only their own watches', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(create('~/x'), getData('~/x', true), getChildren('~/x', true));
  await b.does(
    getData('~/x', true),
    removeWatches('~/x', WATCHER.data),
    removeWatches('~/x', WATCHER.children),
  );
  await b.does(checkWatches('~/x', WATCHER.data), setData('~/x', '1'), checkWatches('~/x', WATCHER.data));
});

scenario('watches that are set again report missed events immediately', async (run) => {
  const watcher = await run.connect('watcher');
  const a = await run.connect('a');
  for (const name of ['same', 'changed', 'deleted', 'again', 'childless']) await a.does(create(`~/${name}`));
  await watcher.does(exists('~'));
  const from = watcher.zxid;
  await watcher.drops();
  await a.does(setData('~/changed', '1'), remove('~/deleted'), create('~/new'), create('~/changed/c'));
  await a.does(remove('~/again'), create('~/again'), create('~/childless/c'), remove('~/childless/c'));
  await watcher.attaches({ lastZxidSeen: from });
  const paths = ['same', 'changed', 'deleted', 'again', 'childless', 'new', 'missing'].map((n) => `~/${n}`);
  await watcher.does(setWatches(from, { data: paths, exist: paths, child: paths }));
  for (const path of paths)
    await a.does(create(path), setData(path, '2'), create(`${path}/d`), create(`${path}/e`));
});

for (const name of ['same', 'changed', 'deleted', 'missing', 'new']) {
  scenario(`watches set again one by one: ${name}`, async (run) => {
    const watcher = await run.connect('watcher');
    const a = await run.connect('a');
    const path = `~/${name}`;
    for (const kind of ['data', 'exist', 'child', 'persistent', 'recursive']) {
      if (name !== 'missing' && name !== 'new') await a.does(create(path));
      await watcher.does(exists('~'));
      const from = watcher.zxid;
      if (name === 'changed') await a.does(setData(path, '1'), create(`${path}/c`));
      if (name === 'deleted') await a.does(remove(path));
      if (name === 'new') await a.does(create(path));
      await watcher.does(setWatches2(from, { [kind]: [path] }));
      await a.does(create(path), setData(path, '2'), create(`${path}/d`), setData(path, '3'));
      await a.does(remove(`${path}/c`), remove(`${path}/d`), remove(path));
      await watcher.drops();
      await watcher.attaches();
    }
  });
}

scenario('invalid lists of watches', async (run) => {
  const a = await run.connect('a');
  await a.does(setWatches(0n, {}), setWatches2(0n, {}));
  const none = { from: 0n, data: null, exist: [], child: [] };
  await a.does(call('setWatches', none, { xid: -8 }), call('setWatches', { from: 0n }, { xid: -8 }));
  await a.does(call('setWatches', { ...none, data: [], child: null }, { xid: -8 }), create('~/after'));
  await a.does(setWatches(0n, { data: ['bad'], exist: [''], child: ['~//x'] }), create('~/then'));
});

import { conformance } from './conformance.js';
import {
  create,
  createContainer,
  exists,
  FLAGS,
  getChildren,
  getChildren2,
  getData,
  OPEN,
  remove,
  setAcl,
  setData,
  sync,
} from './protocol/calls.js';

const scenario = conformance({}, { candidates: ['embedded', 'follower'] });

scenario('a watch fires once, before the reply to the write that triggers it', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'), getData('~/x', true), setData('~/x', '1'), setData('~/x', '2'));
  await a.does(exists('~/x', true), setData('~/x', '3'), setData('~/x', '4'));
  await a.does(getChildren('~/x', true), create('~/x/c'), remove('~/x/c'));
  await a.does(getChildren2('~/x', true), remove('~/x'));
});

scenario('each kind of watch reports only its own events', async (run) => {
  const watcher = await run.connect('watcher');
  const a = await run.connect('a');
  for (const [name, watch] of Object.entries({ exists, getData, getChildren, getChildren2 })) {
    const path = `~/${name}`;
    await a.does(create(path));
    for (const change of [
      setData(path, 'data'),
      setAcl(path, OPEN),
      create(`${path}/c`),
      setData(`${path}/c`, 'data'),
      create(`${path}/c/d`),
      remove(`${path}/c/d`),
      remove(`${path}/c`),
      remove(path),
      create(path),
    ]) {
      await watcher.does(watch(path, true));
      await a.does(change);
    }
  }
});

scenario('watches on a node that is missing', async (run) => {
  const watcher = await run.connect('watcher');
  const a = await run.connect('a');
  await watcher.does(
    exists('~/x', true),
    getData('~/y', true),
    getChildren('~/z', true),
    exists('~/p/c', true),
  );
  await a.does(create('~/x'), create('~/y'), create('~/z'), setData('~/y', '1'), create('~/z/c'));
  await a.does(create('~/p'), create('~/p/c'), setData('~/x', '2'));
});

scenario('the same watch twice fires once', async (run) => {
  const watcher = await run.connect('watcher');
  const a = await run.connect('a');
  await a.does(create('~/x'));
  await watcher.does(getData('~/x', true), getData('~/x', true), exists('~/x', true), setData('~/x', '1'));
  await watcher.does(getChildren('~/x', true), getChildren2('~/x', true));
  await a.does(create('~/x/c'));
});

scenario('a request without a watch keeps the existing watch', async (run) => {
  const watcher = await run.connect('watcher');
  const a = await run.connect('a');
  await watcher.does(create('~/x'), getData('~/x', true), getData('~/x'), exists('~/x'), getChildren('~/x'));
  await a.does(setData('~/x', '1'));
});

scenario('the events of a deletion with watches of all kinds are in order', async (run) => {
  const all = await run.connect('all');
  const data = await run.connect('data');
  const children = await run.connect('children');
  const parent = await run.connect('parent');
  const a = await run.connect('a');
  await a.does(create('~/x'));
  await all.does(getChildren('~', true), getChildren('~/x', true), getData('~/x', true));
  await data.does(exists('~/x', true), exists('~', true));
  await children.does(getChildren('~/x', true));
  await parent.does(getChildren('~', true));
  await a.does(remove('~/x'), create('~/x'));
});

scenario('the events of a creation with watches of all kinds are in order', async (run) => {
  const all = await run.connect('all');
  const a = await run.connect('a');
  await all.does(
    getChildren('~', true),
    exists('~/s-0000000000', true),
    exists('~', true),
    getData('~', true),
  );
  await a.does(create('~/s-', { flags: FLAGS.ephemeralSequential }), setData('~', 'data'));
});

scenario('writes of a client trigger its watches too', async (run) => {
  const a = await run.connect('a');
  await a.pipelines(
    exists('~/x', true),
    getChildren('~', true),
    create('~/x'),
    getData('~/x', true),
    setData('~/x', '1'),
    getChildren('~', true),
    getData('~/x', true),
    remove('~/x'),
    exists('~/x', true),
  );
});

scenario('a failed write triggers no watch', async (run) => {
  const watcher = await run.connect('watcher');
  const a = await run.connect('a');
  await a.does(create('~/x'), create('~/x/c'));
  await watcher.does(
    getData('~/x', true),
    getChildren('~', true),
    getChildren('~/x', true),
    exists('~/y/z', true),
  );
  await a.does(setData('~/x', '1', 7), remove('~/x'), create('~/x'), create('~/y/z'), create('~/x/c'));
  await a.does(remove('~/x/c'));
});

scenario('watches on the end of a path only', async (run) => {
  const watcher = await run.connect('watcher');
  const a = await run.connect('a');
  await watcher.does(exists('~/x', true), exists('~/xy', true));
  await a.does(create('~/xy'), create('~/x'));
  await watcher.does(getChildren('~/x', true), getChildren('~/xy', true));
  await a.does(create('~/xy/c'), create('~/x/c'));
});

scenario('several clients with the same watch', async (run) => {
  const watchers = [await run.connect('one'), await run.connect('two'), await run.connect('three')];
  for (const watcher of watchers) await watcher.does(exists('~/x', true), getChildren('~', true));
  await watchers[0]!.does(createContainer('~/x'));
  await watchers[1]!.does(exists('~/x', true));
  await watchers[2]!.closes();
  await watchers[0]!.does(setData('~/x', '1'), remove('~/x'), sync('~'));
});

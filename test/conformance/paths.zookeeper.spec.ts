import { conformance } from './conformance.js';
import {
  addWatch,
  check,
  checkWatches,
  create,
  exists,
  FLAGS,
  getAcl,
  getAllChildrenNumber,
  getChildren,
  getChildren2,
  getData,
  getEphemerals,
  OPEN,
  remove,
  removeWatches,
  setAcl,
  setData,
  sync,
  WATCHER,
  type Call,
} from './protocol/calls.js';

const scenario = conformance();

const PATHS = [
  null,
  '',
  'x',
  '//',
  '~/',
  '~//x',
  '~/x/',
  '~/./x',
  '~/../x',
  '~/.',
  '~/..',
  '~/...',
  '~/.x',
  '~/x.',
  '~/a\u0000b',
  '~/\u0001',
  '~/\u001f',
  '~/ ',
  '~/\u007f',
  '~/\u009f',
  '~/\u00a0',
  '~/\ud7ff',
  '~/\ue000',
  '~/\uf8ff',
  '~/\uf900',
  '~/\uffef',
  '~/\ufff0',
  '~/\uffff',
  '~/東京',
  '~/\u{1f512}',
  '~/missing/x',
  `~/${'long'.repeat(200)}`,
];

const WAYS: Record<string, (path: string | null) => Call> = {
  create: (path) => create(path),
  'create, sequential': (path) => create(path, { flags: FLAGS.sequential }),
  delete: (path) => remove(path),
  exists: (path) => exists(path, true),
  getData: (path) => getData(path, true),
  setData: (path) => setData(path, 'data'),
  getACL: (path) => getAcl(path),
  setACL: (path) => setAcl(path, OPEN),
  getChildren: (path) => getChildren(path, true),
  getChildren2: (path) => getChildren2(path, true),
  getAllChildrenNumber: (path) => getAllChildrenNumber(path),
  getEphemerals: (path) => getEphemerals(path),
  sync: (path) => sync(path),
  check: (path) => check(path),
  addWatch: (path) => addWatch(path, 0),
  checkWatches: (path) => checkWatches(path, WATCHER.any),
  removeWatches: (path) => removeWatches(path, WATCHER.any),
};

for (const [way, make] of Object.entries(WAYS)) {
  scenario(`${way} accepts and refuses the same paths`, async (run) => {
    const a = await run.connect('a');
    // A real server keeps a watch on a missing path indefinitely, together with others of its client.
    for (const path of way === 'addWatch' ? PATHS.slice(1) : PATHS) await a.does(make(path));
  });
}

scenario('nodes with unusual names work like all others', async (run) => {
  const a = await run.connect('a');
  for (const name of ['東京', 'a b', '%2F', '...', '\u00a0', 'e\u0301', '\u00e9']) {
    const path = `~/${name}`;
    await a.does(create(path), exists(path, true), setData(path, 'x'), getChildren('~'), remove(path));
  }
});

scenario('the nodes that every server has', async (run) => {
  const a = await run.connect('a');
  for (const path of ['/', '/zookeeper', '/zookeeper/config', '/zookeeper/quota']) {
    await a.does(exists(path), getAcl(path), create(path), remove(path), getChildren(path), sync(path));
    await a.does(check(path, 7), setData(path, 'x', 7));
  }
  await a.does(getChildren('/zookeeper'), create('/zookeeper/own'), remove('/zookeeper/own'));
});

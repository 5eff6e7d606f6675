import { conformance } from './conformance.js';
import {
  create,
  createContainer,
  createTtl,
  exists,
  FLAGS,
  getChildren,
  getData,
  remove,
  setData,
} from './protocol/calls.js';

const scenario = conformance({ containerCheckInterval: 300 });
const A_MOMENT_MS = 50;
const AN_HOUR_MS = 3_600_000;

scenario('a container goes some time after its last child', async (play) => {
  const a = await play.connect('a');
  const b = await play.connect('b');
  await a.does(createContainer('~/box'), create('~/box/c'));
  await b.does(exists('~/box', true), getChildren('~', true));
  await a.does(remove('~/box/c'));
  await play.until({ b: 2 });
  await b.does(getChildren('~'), exists('~/box'), create('~/after'));
});

scenario('a container that never had a child stays, and so does one that has one', async (play) => {
  const a = await play.connect('a');
  const b = await play.connect('b');
  await a.does(createContainer('~/never'), createContainer('~/full'), create('~/full/c'));
  for (const name of ['first', 'second']) {
    await a.does(createContainer(`~/${name}`), create(`~/${name}/c`), remove(`~/${name}/c`));
    await b.does(exists(`~/${name}`, true));
    // The server has looked at all containers by the time it has deleted this one.
    await play.until({ b: 1 });
  }
  await b.does(getChildren('~'), exists('~/never'), exists('~/full'));
});

scenario('containers go from the inside to the outside', async (play) => {
  const a = await play.connect('a');
  const b = await play.connect('b');
  await a.does(createContainer('~/out'), createContainer('~/out/in'));
  await a.does(create('~/out/in/c', { flags: FLAGS.ephemeral }));
  await b.does(exists('~/out', true), exists('~/out/in', true), getChildren('~/out', true));
  await a.closes();
  await play.until({ b: 3 });
  await b.does(getChildren('~'), create('~/after'));
});

scenario('a node with a time to live goes when it is over', async (play) => {
  const a = await play.connect('a');
  const b = await play.connect('b');
  await a.does(createTtl('~/long', AN_HOUR_MS), createTtl('~/parent', A_MOMENT_MS), create('~/parent/c'));
  await a.does(createTtl('~/short', A_MOMENT_MS));
  await b.does(exists('~/short', true));
  await play.until({ b: 1 }).catch(() => {});
  await b.does(exists('~/short'), getData('~/long'), exists('~/parent', true));
  await a.does(setData('~/long', 'data'), remove('~/parent/c'));
  await play.until({ b: 1 });
  await b.does(getChildren('~'));
});

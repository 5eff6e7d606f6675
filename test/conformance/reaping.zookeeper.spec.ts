import { conformance } from './conformance.js';
import {
  addWatch,
  create,
  createContainer,
  createTtl,
  exists,
  FLAGS,
  getChildren,
  getData,
  multi,
  remove,
} from './protocol/calls.js';

const scenario = conformance({ containerCheckInterval: 300 });
const A_MOMENT_MS = 50;
const AN_HOUR_MS = 3_600_000;

scenario('a container is deleted some time after its last child', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(createContainer('~/box'), create('~/box/c'));
  await b.does(exists('~/box', true), getChildren('~', true));
  await run.until({ b: 2 }, () => a.does(remove('~/box/c')));
  await b.does(getChildren('~'), exists('~/box'), create('~/after'));
});

scenario('a container that has a child, or never had one, is not deleted', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(createContainer('~/never'), createContainer('~/full'), create('~/full/c'));
  for (const name of ['first', 'second']) {
    await a.does(createContainer(`~/${name}`), create(`~/${name}/c`));
    await b.does(exists(`~/${name}`, true));
    // When the server has deleted the second container, it has checked all of them.
    await run.until({ b: 1 }, () => a.does(remove(`~/${name}/c`)));
  }
  await b.does(getChildren('~'), exists('~/never'), exists('~/full'));
});

scenario('nested containers are deleted from the inside to the outside', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(createContainer('~/out'), createContainer('~/out/in'));
  await a.does(create('~/out/in/c', { flags: FLAGS.ephemeral }));
  await b.does(exists('~/out', true), exists('~/out/in', true), getChildren('~/out', true));
  await run.until({ b: 3 }, () => a.closes());
  await b.does(getChildren('~'), create('~/after'));
});

scenario('a node is deleted when its time to live is over', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await b.does(createTtl('~/long', AN_HOUR_MS));
  await a.does(multi(createTtl('~/parent', A_MOMENT_MS), create('~/parent/c')));
  await b.does(exists('~/parent', true), addWatch('~/short', 0));
  await run.until({ b: 2 }, () => a.does(createTtl('~/short', A_MOMENT_MS)));
  await b.does(exists('~/short'), getData('~/long'), exists('~/parent', true));
  await run.until({ b: 1 }, () => a.does(remove('~/parent/c')));
  await b.does(getChildren('~'), create('~/after'));
});

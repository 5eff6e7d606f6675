import { conformance } from './conformance.js';
import type { ScenarioRun } from './scenario-run.js';
import {
  addWatch,
  create,
  exists,
  FLAGS,
  getChildren,
  getData,
  remove,
  removeWatches,
  setData,
  WATCHER,
} from './protocol/calls.js';
import { SHOWN } from './word-answers.js';

// Nobody asks a server in a simulation for its state.
const scenario = conformance({}, { unable: ['model', 'follower'] });

/** Two clients with nodes and watches of all kinds, and one that has disconnected. */
async function populate(run: ScenarioRun): Promise<void> {
  const a = await run.connect('a', { timeout: 20_000 });
  const b = await run.connect('b', { timeout: 39_000 });
  const gone = await run.connect('gone');
  await a.does(
    create('~/x', { data: 'data' }),
    create('~/e', { flags: FLAGS.ephemeral }),
    getData('~/x', true),
  );
  await b.does(
    create('~/s-', { flags: FLAGS.ephemeralSequential }),
    exists('~/x', true),
    exists('~/none', true),
  );
  await b.does(getChildren('~', true), addWatch('~/e', 0), getChildren('~/x', true), addWatch('~/r', 1));
  await gone.does(create('~/g', { flags: FLAGS.ephemeral }), exists('~/x', true));
  await gone.closes();
}

/** Deletes some of the nodes and watches. */
async function thin(run: ScenarioRun): Promise<void> {
  const c = await run.connect('c');
  await c.does(setData('~/x', 'longer data'), remove('~/e'), exists('~/x', true), create('~/none'));
  await c.does(removeWatches('~/x', WATCHER.data), create('~/s-0000000003', { flags: FLAGS.ephemeral }));
}

scenario('ruok and isro', async (run) => {
  await run.word('ruok');
  await run.word('isro');
});

for (const word of Object.keys(SHOWN) as (keyof typeof SHOWN)[]) {
  scenario(`${word} on a server without clients`, async (run) => {
    await run.word(word, SHOWN[word]);
  });

  scenario(`${word} on a server in use`, async (run) => {
    await populate(run);
    await run.word(word, SHOWN[word]);
    await thin(run);
    await run.word(word, SHOWN[word]);
  });
}

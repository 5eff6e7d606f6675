import { conformance } from './conformance.js';
import type { Actor } from './actor.js';
import type { Play } from './play.js';
import { create, exists, FLAGS, getChildren, getData } from './protocol/calls.js';

const scenario = conformance({ tickTime: 200, minSessionTimeout: 400 });
const EPHEMERAL = { flags: FLAGS.ephemeral };

/** A session with an ephemeral node that says nothing from now on. */
async function silentOwner(play: Play, name: string, timeout: number): Promise<Actor> {
  const owner = await play.connect(name, { timeout });
  await owner.does(create(`~/${name}`, EPHEMERAL));
  owner.silent = true;
  return owner;
}

scenario('a silent session expires with its nodes, and its connection ends', async (play) => {
  const b = await play.connect('b');
  const a = await silentOwner(play, 'a', 1_000);
  await b.does(exists('~/a', true), getChildren('~', true));
  await play.until({ b: 2, a: 1 });
  await b.does(exists('~/a'), create('~/after'));
  a.silent = false;
  await a.attaches();
});

scenario('a session without a connection expires too', async (play) => {
  const b = await play.connect('b');
  const a = await silentOwner(play, 'a', 1_000);
  await b.does(getData('~/a', true));
  await a.drops();
  await play.until({ b: 1 });
  await b.does(getChildren('~'), create('~/after'));
  await a.attaches();
});

scenario('the shorter timeout ends first', async (play) => {
  const b = await play.connect('b');
  await silentOwner(play, 'long', 4_000);
  await silentOwner(play, 'short', 400);
  await b.does(exists('~/long', true), exists('~/short', true));
  await play.until({ b: 2, long: 1, short: 1 });
});

scenario('a session that speaks outlives one that does not', async (play) => {
  const b = await play.connect('b', { timeout: 20_000 });
  const speaker = await play.connect('speaker', { timeout: 4_000 });
  await speaker.does(create('~/speaker', EPHEMERAL));
  await silentOwner(play, 'silent', 5_000);
  await b.does(exists('~/silent', true), exists('~/speaker', true));
  await play.until({ b: 1, silent: 1 });
  await speaker.does(exists('~/speaker'));
});

scenario('a session that goes on with a longer timeout lives longer', async (play) => {
  const b = await play.connect('b');
  const a = await silentOwner(play, 'a', 3_000);
  await b.does(exists('~/a', true));
  a.silent = false;
  await a.attaches({ timeout: 30_000 });
  a.silent = true;
  await silentOwner(play, 'other', 4_000);
  await b.does(exists('~/other', true));
  await play.until({ b: 1, other: 1 });
  a.silent = false;
  await a.does(exists('~/a'));
});

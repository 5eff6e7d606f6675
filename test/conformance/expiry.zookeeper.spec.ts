import type { ScenarioClient } from './scenario-client.js';
import { conformance } from './conformance.js';
import type { ScenarioRun } from './scenario-run.js';
import { create, exists, FLAGS, getChildren, getData, ping } from './protocol/calls.js';

const scenario = conformance({ tickTime: 200, minSessionTimeout: 400 });

/** Longer than a busy machine may stall before the session of the test becomes silent. */
const SHORT = 3_000;

/** A session with an ephemeral node, named like the client. */
async function owner(run: ScenarioRun, name: string, timeout: number): Promise<ScenarioClient> {
  const client = await run.connect(name, { timeout });
  await client.does(create(`~/${name}`, { flags: FLAGS.ephemeral }));
  return client;
}

function silence(...clients: ScenarioClient[]): () => void {
  return () => clients.forEach((client) => (client.silent = true));
}

scenario('a silent session expires with its nodes, and its connection is closed', async (run) => {
  const b = await run.connect('b');
  const a = await owner(run, 'a', SHORT);
  await b.does(exists('~/a', true), getChildren('~', true));
  await run.until({ b: 2, a: 1 }, silence(a));
  await b.does(exists('~/a'), create('~/after'));
  a.silent = false;
  await a.attaches();
});

scenario('no session expires before its timeout', async (run) => {
  const b = await run.connect('b');
  for (const timeout of [SHORT, SHORT + 500]) {
    const a = await owner(run, `a${timeout}`, timeout);
    await b.does(exists(`~/a${timeout}`, true));
    const spokeAfter = performance.now();
    await a.does(ping());
    await run.until({ b: 1, [a.name]: 1 }, silence(a));
    run.note(`lived for its timeout: ${performance.now() - spokeAfter >= timeout}`);
  }
});

scenario('a session without a connection expires too', async (run) => {
  const b = await run.connect('b');
  const a = await owner(run, 'a', SHORT);
  await b.does(getData('~/a', true));
  await run.until({ b: 1 }, () => a.drops());
  await b.does(getChildren('~'), create('~/after'));
  await a.attaches();
});

scenario('the session with the shorter timeout expires first', async (run) => {
  const b = await run.connect('b');
  const long = await owner(run, 'long', 5_500);
  const short = await owner(run, 'short', SHORT);
  await b.does(exists('~/long', true), exists('~/short', true));
  await run.until({ b: 2, long: 1, short: 1 }, silence(long, short));
});

scenario('a session that sends requests outlives a silent one', async (run) => {
  const b = await run.connect('b');
  const speaker = await owner(run, 'speaker', SHORT);
  const silent = await owner(run, 'silent', 5_000);
  await b.does(exists('~/silent', true), exists('~/speaker', true));
  await run.until({ b: 1, silent: 1 }, silence(silent));
  await speaker.does(exists('~/speaker'));
});

scenario('a session that continues with a longer timeout expires later', async (run) => {
  const b = await run.connect('b');
  const a = await owner(run, 'a', SHORT);
  const other = await owner(run, 'other', 4_500);
  await b.does(exists('~/a', true), exists('~/other', true));
  await a.attaches({ timeout: 30_000 });
  await run.until({ b: 1, other: 1 }, silence(a, other));
  a.silent = false;
  await a.does(exists('~/a'));
});

scenario('nodes of an expired session can be created again', async (run) => {
  const b = await run.connect('b');
  const a = await owner(run, 'a', SHORT);
  await b.does(create('~/a', { flags: FLAGS.ephemeral }), exists('~/a', true));
  await run.until({ b: 1, a: 1 }, silence(a));
  await b.does(
    create('~/a', { flags: FLAGS.ephemeral }),
    create('~/s-', { flags: FLAGS.ephemeralSequential }),
  );
});

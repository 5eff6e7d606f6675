import { conformance } from './conformance.js';
import {
  closeSession,
  create,
  exists,
  FLAGS,
  getChildren,
  getData,
  getEphemerals,
  remove,
  setData,
} from './protocol/calls.js';

const scenario = conformance(
  { minSessionTimeout: 5_000, maxSessionTimeout: 40_000 },
  { candidates: ['embedded', 'follower'] },
);
const EPHEMERAL = { flags: FLAGS.ephemeral };

scenario('the timeout is negotiated between the limits of the server', async (run) => {
  for (const timeout of [-1, 0, 1, 4_999, 5_000, 5_001, 30_000, 39_999, 40_000, 40_001, 2_147_483_647]) {
    const a = await run.connect('a', { timeout });
    await a.closes();
  }
});

scenario('clients of other versions are accepted', async (run) => {
  await run.connect('old', { readOnly: undefined });
  await run.connect('read-only', { readOnly: true });
  for (const protocolVersion of [-1, 1, 2_147_483_647]) await run.connect('odd', { protocolVersion });
});

scenario('a new session may use any password', async (run) => {
  for (const password of [null, Buffer.alloc(0), Buffer.from('short'), Buffer.alloc(40, 1)]) {
    await run.connect('a', { password });
  }
});

scenario('a session continues on a second connection, without the watches of the first', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(create('~/mine', EPHEMERAL), getData('~/mine', true), exists('~/none', true));
  await a.drops();
  await b.does(exists('~/mine'));
  await a.attaches();
  await b.does(setData('~/mine', 'changed'), create('~/none'));
  await a.does(getData('~/mine'), getEphemerals('/'), remove('~/mine'));
});

scenario('the timeout of a session can change when it continues', async (run) => {
  const a = await run.connect('a', { timeout: 10_000 });
  for (const timeout of [20_000, 1, 100_000]) await a.attaches({ timeout });
});

scenario('when a session continues on another connection, the first is closed', async (run) => {
  const a = await run.connect('a');
  const thief = run.client('thief');
  await a.does(create('~/mine', EPHEMERAL), exists('~/other', true));
  await thief.attaches({}, a);
  await thief.does(getEphemerals('/'), create('~/other'), remove('~/mine'));
  await a.attaches();
  await a.does(exists('~/mine'));
});

scenario('a wrong password is refused', async (run) => {
  const a = await run.connect('a');
  const thief = run.client('thief');
  await a.does(create('~/mine', EPHEMERAL));
  for (const password of [
    Buffer.alloc(16, 7),
    Buffer.alloc(16),
    Buffer.from('short'),
    Buffer.alloc(0),
    null,
  ]) {
    await thief.attaches({ password }, a);
  }
  await a.attaches();
  await a.does(exists('~/mine'));
});

scenario('unknown sessions are refused', async (run) => {
  const a = run.client('a');
  for (const id of [1n, -1n, 0x7fffffffffffffffn, 0x100000000000000n]) await a.connects({ id });
});

scenario('a closed session is refused', async (run) => {
  const a = await run.connect('a');
  await a.closes();
  await a.attaches();
});

scenario('a client that has seen a later transaction than the server is refused', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'));
  const b = run.client('b');
  await b.connects({ lastZxidSeen: a.zxid });
  await b.connects({ lastZxidSeen: a.zxid + 1_000n });
  await a.attaches({ lastZxidSeen: a.zxid + 1_000n });
  await a.attaches({ lastZxidSeen: a.zxid });
  await a.connects({ lastZxidSeen: -5n });
});

scenario('the end of a session deletes its nodes and triggers their watches', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  const c = await run.connect('c');
  await a.does(create('~/mine', EPHEMERAL), create('~/kept'));
  await b.does(exists('~/mine', true), getChildren('~', true), getData('~/kept', true));
  await c.does(getChildren('~/mine', true), getData('~/mine', true));
  await a.closes();
  await b.does(getChildren('~'), exists('~/mine'));
});

scenario('the end of a session deletes all its nodes in one transaction', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  for (const name of ['p', 'q', 'r']) {
    await a.does(create(`~/${name}`), create(`~/${name}/s-`, { flags: FLAGS.ephemeralSequential }));
    await b.does(getChildren(`~/${name}`, true), exists(`~/${name}/s-0000000000`, true));
  }
  await a.closes();
  await b.does(exists('~/p'), exists('~/q'), exists('~/r'), create('~/after'));
});

scenario('requests before the end of a session in the same write are performed', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await b.does(getChildren('~', true));
  await a.ends(create('~/ephemeral', EPHEMERAL), create('~/kept'), closeSession());
  await b.does(getChildren('~'));
});

scenario('a session continues after its connection has ended', async (run) => {
  const a = await run.connect('a');
  const b = await run.connect('b');
  await a.does(create('~/mine', EPHEMERAL));
  await b.does(exists('~/mine', true));
  await a.drops();
  await b.does(exists('~/mine'));
  await a.attaches();
  await a.closes();
});

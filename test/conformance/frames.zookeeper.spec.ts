import type { ScenarioClient } from './scenario-client.js';
import type { Value } from './protocol/field-kinds.js';
import { conformance } from './conformance.js';
import {
  call,
  closeSession,
  create,
  exists,
  FLAGS,
  getChildren,
  getData,
  ping,
  setData,
  unknownCall,
} from './protocol/calls.js';

const MAX_FRAME_BYTES = 100_000;
const scenario = conformance({ maxFrameBytes: MAX_FRAME_BYTES });
/** Maximum length of everything but the data in a request to set the data of `~/x`, in bytes. */
const ROOM = 100;

function prefixed(length: number, body = Buffer.alloc(0)): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeInt32BE(length);
  return Buffer.concat([prefix, body]);
}

/** Sends invalid bytes in a session, and checks whether the session continues. */
async function sendInvalid(a: ScenarioClient, bytes: Buffer, description: string): Promise<void> {
  await a.endsWith(bytes, description);
  await a.attaches();
  await a.does(exists('~/mine'));
}

for (const code of [-100, -12, -10, -1, 0, 10, 16, 20, 23, 50, 99, 102, 108, 1_000]) {
  scenario(`operation ${code}`, async (run) => {
    const a = await run.connect('a');
    const b = await run.connect('b');
    await a.does(create('~/mine', { flags: FLAGS.ephemeral }));
    await a.pipelines(unknownCall(code));
    await b.does(create('~/after'), exists('~/mine'));
  });
}

scenario('operations for servers only, with a body', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x', { flags: FLAGS.container }));
  await a.pipelines(unknownCall(20, Buffer.from(`${run.root}/x`).toString('hex')));
  await a.attaches();
  const reconfig = { joining: 'server.5=a:1:2;3', leaving: '1', members: '', from: -1n };
  await a.pipelines(call('reconfig', reconfig));
  await a.attaches();
  await a.does(call('sasl', { token: '' }), exists('~/x'));
});

scenario('requests that end early', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'));
  const early: Record<string, Record<string, Value>> = {
    create: { path: '~/y', data: 'data' },
    create2: {},
    createTTL: { path: '~/y', data: '', acl: ['31:world:anyone'], flags: 5 },
    delete: { path: '~/x' },
    exists: { path: '~/x' },
    getData: {},
    setData: { path: '~/x', data: 'data' },
    getACL: {},
    setACL: { path: '~/x' },
    getChildren: { path: '~/x' },
    getChildren2: {},
    getAllChildrenNumber: {},
    getEphemerals: {},
    sync: {},
    check: { path: '~/x' },
    addWatch: { path: '~/x' },
    checkWatches: { path: '~/x' },
    removeWatches: {},
    setWatches: { from: 0n },
    setWatches2: { from: 0n, data: [], exist: [], child: [] },
    multi: {},
    multiRead: {},
  };
  for (const [operation, values] of Object.entries(early))
    await a.does(call(operation, values), exists('~/y'));
  await a.does(create('~/after'));
});

scenario('requests with additional bytes', async (run) => {
  const a = await run.connect('a');
  const tail = '00000001ff';
  await a.does({ ...create('~/x'), tail }, { ...getData('~/x'), tail }, { ...setData('~/x', '1'), tail });
  await a.does({ ...getChildren('~'), tail });
  await a.ends({ ...closeSession(), tail });
});

scenario('fields with impossible lengths', async (run) => {
  const a = await run.connect('a');
  for (const length of ['ffffffff', 'fffffffe', '80000000', '7fffffff', '00000005'])
    await a.does(unknownCall(3, length), unknownCall(1, `${length}2f`), exists('~'));
  // An ACL and a list of watches with a wrong, large length.
  await a.does(
    unknownCall(1, '000000022f7900000000fffffffe'),
    unknownCall(1, '000000022f79000000007fffffff'),
  );
  await a.does(unknownCall(101, '00000000000000007fffffff'), exists('~/y'));
});

scenario('text that is not UTF-8', async (run) => {
  const a = await run.connect('a');
  const path = (name: string): string => {
    const bytes = Buffer.concat([Buffer.from(`${run.root}/`), Buffer.from(name, 'hex')]);
    return prefixed(bytes.length, bytes).toString('hex');
  };
  for (const name of ['ff', 'c3', 'e282', 'eda080', 'c080', 'f09f9492', 'c3a9'])
    await a.does(
      unknownCall(1, `${path(name)}00000000000000010000001f00000005776f726c6400000006616e796f6e6500000000`),
    );
  await a.does(getChildren('~'));
});

scenario('requests that arrive byte by byte', async (run) => {
  const a = await run.connect('a');
  await a.dribbles(create('~/x', { data: 'data' }), getData('~/x', true), setData('~/x', 'more'), ping());
  await a.does(getChildren('~'));
});

scenario('frames with impossible lengths', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/mine', { flags: FLAGS.ephemeral }));
  for (const length of [-1, -2_147_483_648, MAX_FRAME_BYTES + 1, 2_147_483_647])
    await sendInvalid(a, prefixed(length), `a frame of ${length} bytes`);
});

scenario('frames that are too short to be requests', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/mine', { flags: FLAGS.ephemeral }));
  for (const length of [0, 1, 4, 7])
    await sendInvalid(a, prefixed(length, Buffer.alloc(length)), `${length} bytes`);
});

scenario('frames up to the limit are accepted', async (run) => {
  const a = await run.connect('a');
  await a.does(create('~/x'), create('~/mine', { flags: FLAGS.ephemeral }));
  await a.does(setData('~/x', 'x'.repeat(MAX_FRAME_BYTES - ROOM)), exists('~/x'), getData('~/x'));
  await a.ends(setData('~/x', 'y'.repeat(MAX_FRAME_BYTES + ROOM)));
  await a.attaches();
  await a.does(exists('~/x'), exists('~/mine'));
});

scenario('invalid handshakes', async (run) => {
  for (const [description, bytes] of Object.entries({
    'an empty frame': prefixed(0),
    'a short frame': prefixed(8, Buffer.alloc(8)),
    'a frame that ends in the password': prefixed(40, Buffer.alloc(40, 1)),
    'a frame of a negative length': prefixed(-1),
    'a frame that is too large': prefixed(MAX_FRAME_BYTES + 1),
    'a request of another protocol': Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  })) {
    const a = run.client('a');
    await a.opens();
    await a.endsWith(bytes, description);
  }
  await run.connect('b');
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLockService, LockConfigurationError, type LockService } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { anyText } from '../unit/any-text.js';

const ROOT = '/names';
const CONTENDER = '_c_0e8b2b1c-3f1d-4a56-9c0e-7d9f3c1b2a45-lock-0000000001';

/** Each name is a separate lock. */
const NAMES: readonly (readonly [what: string, name: string])[] = [
  ['a dot', '.'],
  ['two dots', '..'],
  ['a path out of the root', '../..'],
  ['a path to another lock', '../names/order'],
  ['a slash', '/'],
  ['slashes', 'a//b/'],
  ['an absolute path', '/zookeeper/config'],
  ['an escaped slash', 'a%2Fb'],
  ['what that is escaped to', 'a%252Fb'],
  ['a slash where that has one escaped', 'a/b'],
  ['half an escape', '%'],
  ['an escaped NUL', 'a%00b'],
  ['NUL', 'a\u0000b'],
  ['NUL at the end', 'a\u0000'],
  ['all controls', String.fromCharCode(...Array.from({ length: 32 }, (_, unit) => unit), 0x7f, 0x85, 0x9f)],
  ['lines of a log', 'order\r\n[Nest] ERROR'],
  ['a terminal escape sequence', '\u001b[2J'],
  ['marks of direction', '\u202eredro\u202c'],
  ['no width', 'or\u200bder'],
  ['a mark of byte order', '\ufefforder'],
  ['an emoji', '\u{1f512}'],
  ['a family of them', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
  ['private use', '\ue000'],
  ['no character', '\uffff'],
  ['a letter composed', '\u00e9'],
  ['a letter decomposed', 'e\u0301'],
  ['a space in front', ' order'],
  ['a space behind', 'order '],
  ['a space alone', ' '],
  ['another case', 'ORDER'],
  ['a plain name', 'order'],
  ['the name of a contender', CONTENDER],
  ['a contender below a lock', `order/${CONTENDER}`],
  ['the node of the server', 'zookeeper'],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['toString', 'toString'],
  ['1,024 bytes with its escapes', `x${'%'.repeat(341)}`],
];

let server: TestServer;
let proxy: FaultProxy;
let locks: LockService;
let rival: LockService;
let observer: RawSession;
let events: EventRecorder;

beforeAll(async () => {
  server = await startTestServer();
  proxy = await FaultProxy.start(server);
  [locks, rival, observer] = await Promise.all([
    createLockService({ connectString: proxy.connectString, root: ROOT }),
    createLockService({ connectString: server.connectString, root: ROOT }),
    RawSession.connect(server, { sessionTimeout: 40_000 }),
  ]);
  events = new EventRecorder(locks);
});
afterAll(async () => {
  await Promise.all([locks.close(), rival.close()]);
  observer.destroy();
  await proxy.stop();
  await server.giveBack();
});

it('every hostile name is a separate lock, one level below the root', async () => {
  const held = await Promise.all(NAMES.map(([, name]) => locks.lock(name, { wait: 0 })));

  expect(held.map(({ resource }) => resource)).toEqual(NAMES.map(([, name]) => name));
  expect(await Promise.all(NAMES.map(([, name]) => rival.tryLock(name)))).toEqual(NAMES.map(() => null));
  for (const [what, name] of NAMES) {
    const { resource, holder, waiters } = await rival.inspect(name);
    expect([resource, holder?.owner?.owner, waiters], what).toEqual([name, locks.owner, []]);
  }
  const paths = await observer.getChildren(ROOT);
  expect(paths.map((path) => decodeURIComponent(path)).sort()).toEqual(NAMES.map(([, name]) => name).sort());
  for (const path of paths) expect(await observer.getChildren(`${ROOT}/${path}`)).toHaveLength(1);
  expect((await observer.getChildren('/')).sort()).toEqual(['names', 'zookeeper']);

  expect(await Promise.all(held.map((lock) => lock.release()))).toEqual(NAMES.map(() => true));
  expect(events.ofType('acquired').map(({ resource }) => resource)).toEqual(
    expect.arrayContaining(NAMES.map(([, name]) => name)),
  );
});

it('different names never share a lock, and equal names always do', async () => {
  const name = anyText(12).filter((text) => text !== '');
  await fc.assert(
    fc.asyncProperty(name, name, async (one, other) => {
      fc.pre(one !== other);
      await using _held = await locks.lock(one, { wait: 0 });
      await using free = await rival.tryLock(other);
      expect(free?.resource).toBe(other);
      expect(await rival.tryLock(one)).toBeNull();
    }),
    { numRuns: 50 },
  );
});

describe('is refused before anything is sent, with a shortened value:', () => {
  it.each<[what: string, name: unknown]>([
    ['the empty name', ''],
    ['a lone surrogate', 'order\ud83d'],
    ['surrogates in the wrong order', '\udd12\ud83d'],
    ['2,000 characters', 'x'.repeat(2_000)],
    ['100,000 characters', '\u{1f512}'.repeat(50_000)],
    ['more than 1,024 bytes with its escapes', '%'.repeat(342)],
    ['an object with toString', { toString: () => 'order' }],
    ['a list of lists', [['order']]],
    ['a symbol', Symbol('order')],
    ['nothing', undefined],
  ])('%s', async (_what, name) => {
    const [sent, emittedBefore] = [proxy.frames.length, events.events.length];
    const resource = name as string;
    for (const attempt of [
      () => locks.lock(resource),
      () => locks.tryLock(resource),
      () => locks.withLock(resource, () => {}),
      () => locks.inspect(resource),
    ]) {
      const error: unknown = await attempt().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(LockConfigurationError);
      expect((error as Error).message).toMatch(/^A resource name must (?:be|have) .{1,300}$/s);
    }
    // Earlier requests would have reached the proxy before this one.
    await locks.withLock('barrier', () => {});
    const paths = proxy.frames.slice(sent).flatMap(({ path }) => path ?? []);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !path.startsWith(`${ROOT}/barrier`))).toEqual([]);
    expect(events.events.slice(emittedBefore).map(({ type }) => type)).toEqual(['acquired', 'released']);
  });
});

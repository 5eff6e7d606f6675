import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLockService, type LockOptions, type LockService } from '../../lib/index.js';
import { codeIn, Document } from '../docs/document.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';
import { eventually } from '../support/eventually.js';
import { installed } from '../support/installed.js';
import { RawSession } from '../support/raw-session.js';
import { ForeignClient } from './foreign-client.js';
import { curator, curatorProgram, kazoo, kazooProgram } from './installations.js';

type Library = 'curator' | 'kazoo';

/** What each of two calls got that asked while the other library, or this one, held the lock. */
interface Outcome {
  readonly theirs: 'acquired' | 'busy' | 'failed';
  readonly ours: 'acquired' | 'busy' | 'failed';
}

/** The rows of the table, by the code in their first cells. */
const MODES: Record<string, LockOptions> = {
  exclusive: {},
  read: { mode: 'read' },
  write: { mode: 'write' },
  permits: { permits: 2 },
  "exclusive, failure: 'closed'": { failure: 'closed' },
  "write, failure: 'closed'": { mode: 'write', failure: 'closed' },
  'fair: false': { fair: false },
};

/** The columns of the table, and their locks as the programs name them. */
const COLUMNS: Record<string, readonly (readonly [Library, string])[]> = {
  "Curator's `InterProcessMutex`": [['curator', 'mutex']],
  "Curator's `InterProcessReadWriteLock`": [
    ['curator', 'read'],
    ['curator', 'write'],
  ],
  "kazoo's `Lock`, one pattern": [['kazoo', 'lock']],
  "kazoo's `Lock`, all patterns": [['kazoo', 'lock-all']],
  "kazoo's `ReadLock`, `WriteLock`": [
    ['kazoo', 'read'],
    ['kazoo', 'write'],
  ],
  Semaphores: [
    ['curator', 'semaphore'],
    ['kazoo', 'semaphore'],
  ],
};

const EXCLUDED: Outcome = { theirs: 'busy', ours: 'busy' };
const OUTCOMES: Record<string, Outcome> = {
  safe: EXCLUDED,
  // In both directions too, as long as only one of them waits.
  stalls: EXCLUDED,
  blind: { theirs: 'acquired', ours: 'busy' },
  apart: { theirs: 'acquired', ours: 'acquired' },
  fails: { theirs: 'failed', ours: 'failed' },
};
/** Two readers. */
const SHARED: Outcome = { theirs: 'acquired', ours: 'acquired' };

const DIGITS = 10;
const rows = Document.read('docs/interop.md')
  .tables('here')
  .map((cells) => ({ title: codeIn(cells['here']).join(', '), cells }));

describe.skipIf(!installed(curator, kazoo))('a lock of ours and one of another library', () => {
  const zookeeper = useZooKeeper();
  let clients: Record<Library, ForeignClient>;
  let root: string;
  let here: LockService;
  let there: LockService;
  let locks = 0;

  beforeAll(async () => {
    const options = zookeeper.options({ owner: 'here' });
    root = options.root!;
    const args = [zookeeper.server.connectString];
    const programs = [curatorProgram('CuratorTrier')!, kazooProgram('kazoo_trier')!];
    const [java, python] = await Promise.all(programs.map((program) => ForeignClient.start(program, args)));
    clients = { curator: java!, kazoo: python! };
    [here, there] = await Promise.all([createLockService(options), createLockService(options)]);
  });
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    for (const client of Object.values(clients ?? {})) await client[Symbol.asyncDispose]();
  });

  const newLock = (): string => `order-${(locks += 1)}`;

  async function theirTry(library: Library, kind: string, name: string): Promise<Outcome['theirs']> {
    const answer = await clients[library].asks(`try ${kind} ${root}/${name}`, 'tried');
    return answer.split(':')[0] as Outcome['theirs'];
  }

  async function ourTry(name: string, options: LockOptions): Promise<Outcome['ours']> {
    try {
      const held = await here.tryLock(name, options);
      await held?.release();
      return held === null ? 'busy' : 'acquired';
    } catch (error) {
      // Nodes that are no contenders, such as those of a semaphore, are not taken for a lock with a queue.
      expect(error).toMatchObject({ code: expect.stringMatching(/^LOCK_(FAIRNESS|UNAVAILABLE)$/) as string });
      return 'failed';
    }
  }

  async function outcome(library: Library, kind: string, options: LockOptions): Promise<Outcome> {
    const [first, second] = [newLock(), newLock()];
    const held = await here.lock(first, options);
    const theirs = await theirTry(library, kind, first);
    if (theirs === 'acquired') await clients[library].asks('release', 'released');
    await held.release();
    expect(await theirTry(library, kind, second)).toBe('acquired');
    const ours = await ourTry(second, options);
    await clients[library].asks('release', 'released');
    return { theirs, ours };
  }

  it('are in the table of the documentation', () => {
    expect(rows.map(({ title }) => title)).toEqual(Object.keys(MODES));
  });

  it.each(rows)('are as safe as the documentation says: $title', async ({ title, cells }) => {
    const options = MODES[title]!;
    for (const [column, kinds] of Object.entries(COLUMNS))
      for (const [library, kind] of kinds) {
        const expected = expectedOf(cells[column]!, kind, options);
        expect.soft(await outcome(library, kind, options), `${library}'s ${kind}`).toMatchObject(expected);
      }
  });

  it("stall: kazoo's ReadLock waits for a writer behind it", async () => {
    const name = newLock();
    const held = await here.lock(name, { mode: 'write' });
    await clients.kazoo.asks(`wait read ${root}/${name}`, 'waits');
    await hasWaiters(here, name, 1);
    const abort = new AbortController();
    const waiting = there.lock(name, { mode: 'write', signal: abort.signal });
    waiting.catch(() => {});
    await hasWaiters(here, name, 2);

    const session = endedWithTest(await RawSession.connect(zookeeper.server));
    const queue = (await session.getChildren(`${root}/${name}`))
      .toSorted((a, b) => Number(a.slice(-DIGITS)) - Number(b.slice(-DIGITS)))
      .map((node) => `${root}/${name}/${node}`);
    const [, reader, writer] = queue;
    const { ephemeralOwner } = (await session.exists(reader!))!;
    await held.release();
    await eventually(async () => (await watchedBy(ephemeralOwner)).includes(writer!), {
      describe: 'the reader, which is first, to wait for the writer behind it',
    });

    abort.abort();
    await expect(waiting).rejects.toThrow();
    await clients.kazoo.says('acquired');
    await clients.kazoo.asks('release', 'released');
  });

  /** The paths that a session watches. */
  async function watchedBy(session: bigint): Promise<string[]> {
    const lines = (await zookeeper.server.fourLetter('wchc')).split('\n');
    const paths = lines.slice(lines.indexOf(`0x${session.toString(16)}`) + 1);
    const end = paths.findIndex((line) => !line.startsWith('\t'));
    return paths.slice(0, end).map((line) => line.trim());
  }
});

/** What the word in a cell means for one of the column's locks. */
function expectedOf(word: string, kind: string, { mode }: LockOptions): Partial<Outcome> {
  if (kind === 'read' && mode === 'read') return SHARED;
  const expected = OUTCOMES[word]!;
  // kazoo's semaphore may fail on a path that it has not created.
  return word === 'apart' ? { ours: expected.ours } : expected;
}

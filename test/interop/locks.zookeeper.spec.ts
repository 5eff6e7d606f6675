import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installed } from '../support/installed.js';
import { checkHistory, type Hold, type Verdict } from '../support/lock-history.js';
import { LockProcess, type JsonOptions } from '../support/lock-process.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ForeignLocker } from './foreign-locker.js';
import { curator, type Command, kazoo, zkCli } from './installations.js';
import { ZkCli } from './zkcli.js';

/** Process ids of the foreign clients. */
interface Foreigners {
  readonly locker: number;
  readonly shell: number;
}

const ROOT = '/foreign';
const HOLD_MS = 3;
const MARKER = '-lock-';
/** The number of grants of the foreign locker. */
const GRANTS = 40;
const GRANTS_BY_HAND = 10;

describe('the lock service', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    await using session = await RawSession.connect(server);
    await session.create2(ROOT);
  });
  afterAll(() => server?.giveBack());

  async function lockPath(resource: string): Promise<string> {
    await using session = await RawSession.connect(server);
    return (await session.create2(`${ROOT}/${resource}`)).path;
  }

  const serviceOptions = () => ({ connectString: server.connectString, root: ROOT, sessionTimeout: 20_000 });

  /** Loops until the foreign clients have ended, however slow they are: each of them must have competitors. */
  async function loop(
    process: LockProcess,
    resource: string,
    until: Promise<unknown>,
    lockOptions: JsonOptions = {},
  ): Promise<void> {
    let over = false;
    const end = (): void => void (over = true);
    until.then(end, end);
    while (!over)
      await process.call({
        type: 'loop',
        loop: { resources: [resource], acquisitions: 5, holdMs: HOLD_MS, lockOptions },
      });
  }

  /** Runs our processes, a foreign library and a shell concurrently. */
  async function takeTurns(resource: string, foreign: Command, ...more: string[]) {
    const path = await lockPath(resource);
    const turns = { grants: GRANTS, holdMs: HOLD_MS };
    await using one = await LockProcess.start(serviceOptions());
    await using two = await LockProcess.start(serviceOptions());
    await using locker = await ForeignLocker.start(foreign, server.connectString, path, turns, ...more);
    await using shell = await ZkCli.start(zkCli()!, server.connectString);
    const foreigners = Promise.all([
      locker.go(),
      shell.takeTurns(path, { grants: GRANTS_BY_HAND, holdMs: HOLD_MS }),
    ]);
    await Promise.all([foreigners, loop(one, resource, foreigners), loop(two, resource, foreigners)]);
    const verdict = checkHistory([one, two, locker, shell].flatMap(({ history }) => history));
    await using session = await RawSession.connect(server);
    expect(await session.getChildren(path)).toEqual([]);
    return { ...verdict, locker: locker.pid, shell: shell.pid };
  }

  it.skipIf(!installed(curator, zkCli))("takes turns with Curator's mutex and zkCli", async () => {
    expectFairTurns(await takeTurns('java', curator()!));
  });

  it.skipIf(!installed(curator))(
    "shares Curator's read/write lock, and takes turns with its writers",
    async () => {
      const path = await lockPath('library');
      const turns = { grants: GRANTS, holdMs: HOLD_MS };
      await using reader = await LockProcess.start(serviceOptions());
      await using writer = await LockProcess.start(serviceOptions());
      const lockers = await Promise.all(
        [1, 2].map(() => ForeignLocker.start(curator()!, server.connectString, path, turns, 'read-write')),
      );
      const foreigners = Promise.all(lockers.map((locker) => locker.go()));
      await Promise.all([
        foreigners,
        loop(reader, 'library', foreigners, { mode: 'read' }),
        loop(writer, 'library', foreigners, { mode: 'write' }),
      ]);
      const { holds, violations } = checkHistory(
        [reader, writer, ...lockers].flatMap(({ history }) => history),
      );
      expect(violations).toEqual([]);
      for (const { pid } of lockers) expect(holdsOf(pid, holds)).toHaveLength(GRANTS);
      for (const { pid } of [reader, writer]) expect(turnsOf(pid, holds)).toBeGreaterThan(3);
    },
  );

  it.skipIf(!installed(curator, kazoo)).each([
    ["Curator's mutex", curator, []],
    ["kazoo's lock", kazoo, [MARKER]],
  ] as const)(
    'with failure closed takes turns with %s, which also waits for a holder that has failed',
    async (_what, foreign, more) => {
      const resource = `closed-${foreign === curator ? 'java' : 'python'}`;
      const path = await lockPath(resource);
      const turns = { grants: GRANTS, holdMs: HOLD_MS };
      const closed = (owner: string) => ({ failure: 'closed', owner });
      await using one = await LockProcess.start(serviceOptions());
      await using two = await LockProcess.start(serviceOptions());
      await using locker = await ForeignLocker.start(foreign()!, server.connectString, path, turns, ...more);
      const failing = await LockProcess.start({ ...serviceOptions(), drainTimeout: 0 });
      await failing.lock('hold', resource, closed('three'));
      await failing.close();
      const foreigners = locker.go();
      // The node of the failed holder, and the contender of the other library.
      await one.queueLength(resource, 2);
      expect(holdsOf(locker.pid, checkHistory(locker.history).holds)).toEqual([]);
      await using restarted = await LockProcess.start(serviceOptions());
      await restarted.lock('hold', resource, closed('three'));
      await Promise.all([
        restarted.release('hold'),
        foreigners,
        loop(one, resource, foreigners, closed('one')),
        loop(two, resource, foreigners),
      ]);
      const histories = [one, two, restarted, locker].flatMap(({ history }) => history);
      const { holds, violations } = checkHistory(histories);
      expect(violations).toEqual([]);
      expect(holdsOf(locker.pid, holds)).toHaveLength(GRANTS);
      for (const { pid } of [one, two, locker]) expect(turnsOf(pid, holds)).toBeGreaterThan(3);
    },
  );

  it.skipIf(!installed(kazoo, zkCli))("takes turns with kazoo's lock and zkCli", async () => {
    expectFairTurns(await takeTurns('python', kazoo()!, MARKER));
  });

  it.skipIf(!installed(kazoo, zkCli))(
    'overlaps with a kazoo that is not configured to recognise its contenders',
    async () => {
      const { violations } = await takeTurns('untold', kazoo()!, '');
      expect(violations.filter((violation) => violation.startsWith('S1'))).not.toEqual([]);
    },
  );
});

function expectFairTurns({ holds, violations, locker, shell }: Verdict & Foreigners): void {
  expect(violations).toEqual([]);
  expect(holdsOf(locker, holds)).toHaveLength(GRANTS);
  expect(holdsOf(shell, holds)).toHaveLength(GRANTS_BY_HAND);
  for (const pid of [locker, shell]) expect(turnsOf(pid, holds)).toBeGreaterThan(3);
}

function holdsOf(pid: number, holds: readonly Hold[]): Hold[] {
  return holds.filter((hold) => hold.pid === pid);
}

/** How often this process was granted the lock after another one had it. */
function turnsOf(pid: number, holds: readonly Hold[]): number {
  return holds.filter((hold, i) => hold.pid === pid && holds[i - 1]?.pid !== pid).length;
}

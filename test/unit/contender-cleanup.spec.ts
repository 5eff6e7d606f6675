import { beforeEach, expect, test } from 'vitest';
import { createRetryPolicy } from '../../lib/locking/retry-policy.js';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import { ContenderCleanup, type AbandonedNode } from '../../lib/zookeeper/recipe/contender-cleanup.js';
import { settled } from './fake-clock.js';
import { SessionUnderTest } from './session-harness.js';

const RETRY_DELAY_MS = 60_000;

let subject: SessionUnderTest;
let contender: AbandonedNode;
/** The path that a search comes to. */
let found: string | undefined;
let cleanup: ContenderCleanup;
/** Errors of the next deletes; further deletes succeed. */
let refusals: ZooKeeperError[];
let deletes: number;

beforeEach(async () => {
  subject = new SessionUnderTest();
  await subject.attach();
  const { clock, session, client, warnings } = subject;
  refusals = [];
  deletes = 0;
  Object.assign(client, {
    delete: async () => {
      deletes += 1;
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
    },
  });
  const retry = createRetryPolicy({ maxRetryCount: 0, initialRetryWaitMs: 50, retryDelay: RETRY_DELAY_MS });
  const warn = (message: string) => void warnings.push(message);
  cleanup = new ContenderCleanup({ clock, retry, warn });
  found = undefined;
  contender = {
    session,
    lockPath: '/locks/a',
    path: '/locks/a/_c_me-lock-0000000000',
    isPathReused: false,
    priority: 'queue',
    find: async () => found,
  };
});

const refused = (): ZooKeeperError => new ZooKeeperError('NO_AUTH', 'no right to delete');

test('retries a refused delete after a pause, with one warning', async () => {
  refusals = [refused(), refused()];
  const removal = cleanup.remove(contender);
  await subject.live(2 * RETRY_DELAY_MS - 1);
  expect(deletes).toBe(2);
  await subject.live(1);
  await expect(removal).resolves.toBe('deleted');
  expect(subject.warnings).toEqual([expect.stringContaining('Could not delete a contender of /locks/a')]);
});

test.for(['CONNECTION_LOSS', 'SESSION_EXPIRED'] as const)(
  'retries a delete that a connected server refuses with %s, after a pause and without a warning',
  async (code) => {
    refusals = [new ZooKeeperError(code, 'so it is')];
    const removal = cleanup.remove(contender);
    await subject.live(RETRY_DELAY_MS - 1);
    expect(deletes).toBe(1);
    await subject.live(1);
    await expect(removal).resolves.toBe('deleted');
    expect(subject.warnings).toEqual([]);
  },
);

test('tells of a delete that is refused again and again, and goes on', async () => {
  refusals = [refused(), new ZooKeeperError('CONNECTION_LOSS', 'so it is'), refused(), refused(), refused()];
  let told = 0;
  const removal = cleanup.remove(contender, { sent: () => {}, refused: () => (told += 1) });
  await subject.live(3 * RETRY_DELAY_MS - 1);
  expect(told).toBe(0);
  await subject.live(1);
  expect(told).toBe(1);
  await subject.live(2 * RETRY_DELAY_MS);
  await expect(removal).resolves.toBe('deleted');
  expect(told).toBe(1);
});

test('warns of a refusal also after a lost connection', async () => {
  refusals = [new ZooKeeperError('CONNECTION_LOSS', 'so it is'), refused(), refused()];
  const removal = cleanup.remove(contender);
  await subject.live(3 * RETRY_DELAY_MS);
  await expect(removal).resolves.toBe('deleted');
  expect(subject.warnings).toEqual([expect.stringContaining('/locks/a, which stays locked: ')]);
});

test('the pause does not keep the process alive', async () => {
  refusals = [refused()];
  void cleanup.remove(contender);
  await settled();
  expect(subject.clock.keepingAlive).toBe(0);
});

test('the pause ends with the session, which also frees the lock', async () => {
  refusals = [refused()];
  const removal = cleanup.remove(contender);
  await settled();
  await subject.session.close();
  await expect(removal).resolves.toBe('sessionEnded');
  expect(subject.clock.timers).toBe(0);
  expect(deletes).toBe(1);
});

test('a delete whose reply was lost is not repeated for a path that others may have by now', async () => {
  refusals = [new ZooKeeperError('REQUEST_TIMEOUT', 'no answer')];
  const removal = cleanup.remove({ ...contender, isPathReused: true });
  await subject.live(RETRY_DELAY_MS);
  await expect(removal).resolves.toBe('deleted');
  expect(deletes).toBe(1);
});

test('it is repeated if the node is still there', async () => {
  refusals = [new ZooKeeperError('REQUEST_TIMEOUT', 'no answer')];
  found = '/locks/a';
  const removal = cleanup.remove({ ...contender, isPathReused: true });
  await subject.live(RETRY_DELAY_MS);
  await expect(removal).resolves.toBe('deleted');
  expect(deletes).toBe(2);
});

import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { LockService } from '../../lib/index.js';
import { useLockReplicas } from '../fixtures/lock-replicas.js';

const { replica, queued, contenders, deleteContender } = useLockReplicas();
const READ = { mode: 'read' } as const;

it('readers of one process share a node, which is there until the last of them has ended', async () => {
  const locks = await replica();
  const readers = await Promise.all([1, 2, 3].map(() => locks.lock('book', READ)));
  const late = await locks.lock('book', READ);
  const tried = await locks.tryLock('book', READ);
  expect(await contenders('book')).toHaveLength(1);
  expect(new Set([...readers, late].map(({ fencingToken }) => fencingToken)).size).toBe(4);
  for (const reader of readers) expect(await reader.release()).toBe(true);
  await late.release();
  expect(tried?.isHeld()).toBe(true);
  expect(await contenders('book')).toHaveLength(1);
  await tried?.release();
  expect(await contenders('book')).toEqual([]);
});

it('readers that wait for a writer share a node, and a reader of another process does not', async () => {
  const [here, there] = [await replica(), await replica()];
  const written = await there.lock('book', { mode: 'write' });
  const readers = [await queued(here, 'book', READ), await queued(here, 'book', READ)];
  readers.push(await queued(there, 'book', READ));
  expect(await contenders('book')).toHaveLength(3);
  await written.release();
  for (const { lock } of readers) expect((await lock).fencingToken).toBeGreaterThan(written.fencingToken);
  for (const { lock } of readers) await (await lock).release();
});

it('a reader does not join others of its process when a writer of another one is queued behind them', async () => {
  const [here, there] = [await replica(), await replica()];
  const reading = await here.lock('book', READ);
  const writer = await queued(there, 'book', { mode: 'write' });
  const late = await queued(here, 'book', READ);
  expect([writer, late].map(({ isGranted }) => isGranted)).toEqual([false, false]);
  await reading.release();
  const written = await writer.lock;
  expect(late.isGranted).toBe(false);
  await written.release();
  await (await late.lock).release();
});

it('a writer does not starve behind readers of one process, one of whom always holds the lock', async () => {
  const [here, there] = [await replica(), await replica()];
  let isWritten = false;
  let reads = 0;
  const reading = [1, 2, 3, 4].map(() =>
    readUntil(
      here,
      () => isWritten,
      () => (reads += 1),
    ),
  );
  while (reads < 100) await setImmediate();
  for (const writer of [there, here]) await (await writer.lock('book', { mode: 'write' })).release();
  isWritten = true;
  await Promise.all(reading);
});

it('readers that share a node lose it together, when an operator deletes it', async () => {
  const locks = await replica();
  const readers = await Promise.all([locks.lock('book', READ), locks.lock('book', READ)]);
  const lost = readers.map(
    ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
  );
  await deleteContender('book', (await contenders('book'))[0]!);
  await Promise.all(lost);
  expect(readers.map((reader) => reader.isHeld())).toEqual([false, false]);
  expect(await Promise.all(readers.map((reader) => reader.release()))).toEqual([false, false]);
  await locks.withLock('book', READ, () => {});
});

async function readUntil(locks: LockService, isOver: () => boolean, hasRead: () => void): Promise<void> {
  while (!isOver()) {
    await locks.withLock('book', READ, () => setImmediate());
    hasRead();
  }
}

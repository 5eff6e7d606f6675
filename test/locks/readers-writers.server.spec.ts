import { describe, expect, it } from 'vitest';
import { LockBusyError, LockDeadlockError, type LockMode, type LockService } from '../../lib/index.js';
import { useLockReplicas, type QueuedCall } from '../fixtures/lock-replicas.js';

describe.each([{ localQueue: true }, { localQueue: false }])('readers and writers, with %o', (options) => {
  const { replica, hasWaiters, ...replicas } = useLockReplicas(options);
  const queued = (locks: LockService, mode: LockMode): Promise<QueuedCall> =>
    replicas.queued(locks, 'book', { mode });

  /** From now on, numbers of the lock path are large enough to prove who is the head of the queue. */
  async function manyCycles(locks: LockService): Promise<void> {
    for (let cycle = 0; cycle < 25; cycle += 1) await locks.withLock('book', () => {});
  }

  it('readers hold the lock together, and a writer waits for all of them', async () => {
    const [here, there] = [await replica(), await replica()];
    const readers = await Promise.all([
      here.lock('book', { mode: 'read' }),
      here.lock('book', { mode: 'read' }),
      there.lock('book', { mode: 'read' }),
    ]);
    expect(readers.every((reader) => reader.isHeld() && reader.mode === 'read')).toBe(true);
    const writer = await queued(there, 'write');
    await readers[1].release();
    await readers[2].release();
    expect((await here.inspect('book')).waiters).toHaveLength(1);
    expect(writer.isGranted).toBe(false);
    await readers[0].release();
    const written = await writer.lock;
    expect(written.isHeld()).toBe(true);
    await written.release();
  });

  it('readers that come after a writer wait for it, so that it does not starve, and then hold together', async () => {
    const [here, there] = [await replica(), await replica()];
    const first = await here.lock('book', { mode: 'read' });
    const writer = await queued(there, 'write');
    const readers: QueuedCall[] = [];
    for (let count = 0; count < 5; count += 1) {
      readers.push(await queued(count % 2 === 0 ? here : there, 'read'));
    }
    await first.release();
    const written = await writer.lock;
    // Of another process that shares places, only one member is known.
    const members = options.localQueue ? 4 : 5;
    expect((await here.inspect('book')).waiters).toHaveLength(members);
    expect(readers.map(({ isGranted }) => isGranted)).not.toContain(true);
    await written.release();
    const together = await Promise.all(readers.map(({ lock }) => lock));
    expect(together.every((reader) => reader.isHeld())).toBe(true);
    expect((await here.inspect('book')).holders).toHaveLength(members);
    await Promise.all(together.map((reader) => reader.release()));
  });

  it('a writer waits for a reader although a later reader has left', async () => {
    const [here, there] = [await replica(), await replica()];
    await manyCycles(here);
    const reader = await here.lock('book', { mode: 'read' });
    await there.withLock('book', { mode: 'read' }, () => {});
    const writer = await queued(there, 'write');
    expect(writer.isGranted).toBe(false);
    await reader.release();
    await (await writer.lock).release();
  });

  it('a writer waits for a reader although a later reader has had the lock when another writer left', async () => {
    const [here, there, elsewhere] = [await replica(), await replica(), await replica()];
    await manyCycles(here);
    const first = await here.lock('book', { mode: 'read' });
    const leaving = new AbortController();
    const left = there.lock('book', { mode: 'write', signal: leaving.signal });
    await hasWaiters(here, 'book', 1);
    const second = await queued(elsewhere, 'read');
    leaving.abort();
    await expect(left).rejects.toThrow();
    await (await second.lock).release();
    const writer = await queued(elsewhere, 'write');
    expect(writer.isGranted).toBe(false);
    await first.release();
    await (await writer.lock).release();
  });

  it.each(['exclusive', 'write'] as const)('with %s, the lock is held by nobody else', async (mode) => {
    const [here, there] = [await replica(), await replica()];
    const held = await here.lock('book', { mode });
    for (const other of ['read', 'write', 'exclusive'] as const) {
      expect(await there.tryLock('book', { mode: other })).toBeNull();
      expect(await here.tryLock('book', { mode: other })).toBeNull();
    }
    await held.release();
  });

  it('tryLock finds the lock of readers free for a reader, and busy for others', async () => {
    const [here, there] = [await replica(), await replica()];
    const reader = await here.lock('book', { mode: 'read' });
    const another = await there.tryLock('book', { mode: 'read' });
    expect(another?.isHeld()).toBe(true);
    expect(await there.tryLock('book', { mode: 'write' })).toBeNull();
    expect(await there.tryLock('book')).toBeNull();
    await another?.release();
    await reader.release();
  });

  it('of two who exclude each other, the later one has the larger token', async () => {
    const [here, there] = [await replica(), await replica()];
    const tokens: bigint[] = [];
    for (const mode of ['read', 'write', 'read', 'exclusive', 'write', 'read'] as const) {
      await (tokens.length % 2 === 0 ? here : there).withLock('book', { mode }, ({ fencingToken }) =>
        tokens.push(fencingToken),
      );
    }
    expect(tokens.toSorted((a, b) => Number(a - b))).toEqual(tokens);
    expect(new Set(tokens).size).toBe(6);
  });

  it('inspect shows who holds the lock together, and who waits, with their modes', async () => {
    const [here, there] = [await replica(), await replica()];
    const readers = await Promise.all([
      here.lock('book', { mode: 'read', owner: 'a' }),
      there.lock('book', { mode: 'read', owner: 'b' }),
    ]);
    const writer = there.lock('book', { mode: 'write', owner: 'c' });
    await hasWaiters(here, 'book', 1);
    const { holder, holders, waiters } = await here.inspect('book');
    const named = (members: typeof holders) => members.map(({ owner, mode }) => `${owner?.owner} ${mode}`);
    expect(named(holders).sort()).toEqual(['a read', 'b read']);
    expect(holder).toEqual(holders[0]);
    expect(named(waiters)).toEqual(['c write']);
    await Promise.all(readers.map((reader) => reader.release()));
    await (await writer).release();
  });

  it('maxWaiters does not count readers that hold the lock', async () => {
    const [here, there] = [await replica(), await replica()];
    const readers = await Promise.all([1, 2, 3].map(() => here.lock('book', { mode: 'read' })));
    const writer = there.lock('book', { mode: 'write', maxWaiters: 1 });
    await hasWaiters(here, 'book', 1);
    await expect(here.lock('book', { mode: 'read', maxWaiters: 1 })).rejects.toThrow(LockBusyError);
    await Promise.all(readers.map((reader) => reader.release()));
    await (await writer).release();
  });

  it('a call that would wait for itself is refused, and without a wait the lock is busy (H18)', async () => {
    const locks = await replica();
    await locks.withLock('book', { mode: 'read', purpose: 'Library.lend' }, async () => {
      const upgrade = locks.lock('book', { mode: 'write' });
      await expect(upgrade).rejects.toThrow(LockDeadlockError);
      await expect(upgrade).rejects.toThrow(
        "Lock 'book' was not acquired with mode 'write': its caller Library.lend holds it with mode 'read'",
      );
      expect(await locks.tryLock('book', { mode: 'write' })).toBeNull();
      // Another reader is no danger, as long as no writer waits.
      await locks.withLock('book', { mode: 'read' }, () => {});
    });
    await locks.withLock('book', { mode: 'write' }, async () => {
      await expect(locks.lock('book', { mode: 'read' })).rejects.toThrow(LockDeadlockError);
      await locks.withLock('another book', { mode: 'read' }, () => {});
    });
  });
});

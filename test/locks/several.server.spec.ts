import { describe, expect, it } from 'vitest';
import { LockBusyError, LockLostError, LockTimeoutError, type LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { useLockReplicas } from '../fixtures/lock-replicas.js';
import { LONG_WAIT_MS } from '../fixtures/wait-clock.js';

describe('several locks at once', () => {
  const { replica, timedReplica, queued, contenders, deleteContender, hasWaiters } = useLockReplicas();

  const isFree = async (locks: LockService, resource: string): Promise<boolean> => {
    const held = await locks.tryLock(resource);
    await held?.release();
    return held !== null;
  };
  const becomesFree = (locks: LockService, resource: string): Promise<unknown> =>
    eventually(() => isFree(locks, resource), { describe: `'${resource}' to be free` });

  it('all are held, each with its own token, and freed together', async () => {
    const [here, there] = [await replica(), await replica()];
    const held = await here.lock(['b', 'a', 'b']);
    expect(held.members.map(({ resource }) => resource)).toEqual(['a', 'b']);
    expect(held.isHeld()).toBe(true);
    expect(held.member('b').fencingToken).toBe(held.members[1]!.fencingToken);
    expect(() => held.member(7 as unknown as string)).toThrow('must be a non-empty string: got 7 (number)');
    expect(() => held.member('c')).toThrow("'c' is not one of those that are held together: 'a', 'b'");
    expect([await isFree(there, 'a'), await isFree(there, 'b')]).toEqual([false, false]);
    expect(await held.release()).toBe(true);
    expect(held.isHeld()).toBe(false);
    expect([await contenders('a'), await contenders('b')]).toEqual([[], []]);
  });

  it('opposite orders of two callers never wait for each other (H60)', async () => {
    const replicas = [await replica(), await replica()];
    const holders = { a: 0, b: 0, c: 0 };
    let overlaps = 0;
    const work = async (locks: LockService, names: readonly (keyof typeof holders)[]): Promise<void> => {
      for (let round = 0; round < 40; round += 1) {
        await locks.withLock(names, async (held) => {
          for (const name of names) if ((holders[name] += 1) > 1) overlaps += 1;
          await new Promise((resolve) => setImmediate(resolve));
          held.assertHeld();
          for (const name of names) holders[name] -= 1;
        });
      }
    };
    await Promise.all(
      replicas.flatMap((locks) => [
        work(locks, ['a', 'b']),
        work(locks, ['b', 'a']),
        work(locks, ['c', 'b']),
        work(locks, ['a', 'c']),
      ]),
    );
    expect(overlaps).toBe(0);
  });

  it('if one stays busy, none is held at the end of the wait', async () => {
    const [{ locks: here, clock }, there] = [await timedReplica(), await replica()];
    const blocker = await there.lock('b');
    const log = new EventRecorder(here);
    const failing = here.lock(['a', 'b', 'c'], { wait: LONG_WAIT_MS });
    await log.told('waiting');
    clock.endWaits();
    await expect(failing).rejects.toThrow(LockTimeoutError);
    await expect(failing).rejects.toMatchObject({ resource: 'b' });
    await becomesFree(there, 'a');
    expect(await isFree(there, 'c')).toBe(true);
    expect(log.events.map((event) => [event.type, 'resource' in event && event.resource])).toEqual([
      ['acquired', 'a'],
      ['waiting', 'b'],
      ['timedOut', 'b'],
      ['released', 'a'],
    ]);
    await blocker.release();
  });

  it('while it waits for one, those after it are free for others', async () => {
    const [here, there] = [await replica(), await replica()];
    const blocker = await there.lock('b');
    const both = here.lock(['a', 'b', 'c']);
    await hasWaiters(there, 'b', 1);
    await becomesFree(there, 'c');
    expect(await isFree(there, 'a')).toBe(false);
    await blocker.release();
    const held = await both;
    expect(held.isHeld()).toBe(true);
    expect(await isFree(there, 'c')).toBe(false);
  });

  it('an attempt that does not wait holds all or none', async () => {
    const [here, there] = [await replica(), await replica()];
    const blocker = await there.lock('b');
    expect(await here.tryLock(['a', 'b', 'c'])).toBeNull();
    await expect(here.lock(['a', 'b'], { wait: 0 })).rejects.toThrow(LockBusyError);
    await becomesFree(there, 'a');
    await becomesFree(there, 'c');
    await blocker.release();
    const held = await here.tryLock(['a', 'b', 'c']);
    expect(held?.isHeld()).toBe(true);
  });

  it('if one is lost, all are lost and free', async () => {
    const [here, there] = [await replica(), await replica()];
    const held = await here.lock(['a', 'b']);
    const lost = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    await eventually(async () => (await contenders('b')).length === 1);
    await deleteContender('b', (await contenders('b'))[0]!);
    await lost;
    expect(held.isHeld()).toBe(false);
    expect(held.signal.reason).toMatchObject({ reason: 'deleted', resource: 'b' });
    expect(held.member('a').signal.reason).toMatchObject({
      reason: 'together',
      cause: held.signal.reason as unknown,
    });
    expect(() => held.assertHeld()).toThrow(LockLostError);
    await becomesFree(there, 'a');
    expect(await held.release()).toBe(false);
  });

  it('if one is lost while another is waited for, it starts again', async () => {
    const [here, there] = [await replica(), await replica()];
    const blocker = await there.lock('b');
    const log = new EventRecorder(here);
    const both = here.lock(['a', 'b']);
    await hasWaiters(there, 'b', 1);
    await deleteContender('a', (await contenders('a'))[0]!);
    await log.told('acquired', 2);
    await hasWaiters(there, 'b', 1);
    await blocker.release();
    const held = await both;
    expect(held.isHeld()).toBe(true);
    expect(log.ofType('lost')).toMatchObject([{ resource: 'a', reason: 'deleted' }]);
    expect(await held.release()).toBe(true);
  });

  describe.each([
    ['number of permits', { permits: 1 }, { permits: 2 }, 'LOCK_PERMITS'],
    ['fairness', {}, { fair: false }, 'LOCK_FAIRNESS'],
  ] as const)('one that is in use with another %s', (_what, options, others, code) => {
    it('fails the call at once if none before it has to be waited for', async () => {
      const [here, there] = [await replica(), await replica()];
      await there.lock('b', others);
      await expect(here.lock(['a', 'b', 'c'], options)).rejects.toMatchObject({ code, resource: 'b' });
      await becomesFree(there, 'a');
    });

    it('fails the call when its turn comes, if it is still in use then', async () => {
      const [here, there] = [await replica(), await replica()];
      const before = await there.lock('a', options);
      const used = await there.lock('b', others);
      // It may fail before the release is confirmed.
      const failing = expect(here.lock(['a', 'b'], options)).rejects.toMatchObject({ code, resource: 'b' });
      await hasWaiters(there, 'a', 1);
      await before.release();
      await failing;
      await used.release();

      const blocker = await there.lock('a', options);
      const last = await there.lock('b', others);
      const both = here.lock(['a', 'b'], options);
      await hasWaiters(there, 'a', 1);
      await last.release();
      await blocker.release();
      expect((await both).isHeld()).toBe(true);
    });
  });

  it('an abort of the wait frees what is held already', async () => {
    const [here, there] = [await replica(), await replica()];
    await there.lock('b');
    const abort = new AbortController();
    const both = here.lock(['a', 'b'], { signal: abort.signal });
    await hasWaiters(there, 'b', 1);
    abort.abort(new Error('changed my mind'));
    await expect(both).rejects.toThrow('changed my mind');
    await becomesFree(there, 'a');
    await hasWaiters(there, 'b', 0);
  });

  it('a shutdown ends the wait, and frees what is held already', async () => {
    const [here, there] = [await replica(), await replica()];
    await there.lock('b');
    const both = here.lock(['a', 'b']);
    const rejected = expect(both).rejects.toMatchObject({ code: 'LOCK_CLOSED' });
    await hasWaiters(there, 'b', 1);
    await here.close();
    await rejected;
    expect(await isFree(there, 'a')).toBe(true);
  });

  it('a waiter for one of them has it as soon as they are released', async () => {
    const [here, there] = [await replica(), await replica()];
    const held = await here.lock(['a', 'b']);
    const next = await queued(there, 'b');
    await held.release();
    expect((await next.lock).isHeld()).toBe(true);
  });
});

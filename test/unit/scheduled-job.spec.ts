import { describe, expect, test, vi } from 'vitest';
import { currentLock } from '../../lib/locking/current-lock.js';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import { LockUnavailableError } from '../../lib/locking/errors/lock-unavailable.error.js';
import type { ScheduledJobOptions } from '../../lib/locking/schedule/scheduled-jobs.js';
import type { Tick } from '../../lib/locking/schedule/tick.interface.js';
import { settled } from './fake-clock.js';
import { lockManager, rejectionOf, watched } from './manager-harness.js';
import type { ScriptedProvider } from './scripted-provider.js';
import { TestGrant } from './test-grant.js';

const START = Date.UTC(2027, 0, 1);
const MINUTE_MS = 60_000;

/** Times are minutes after the start. */
const at = (minute: number) => START + minute * MINUTE_MS;
const iso = (minute: number) => new Date(at(minute)).toISOString();

/** A run of the job, which the test ends. */
interface Run {
  readonly tick: Tick;
  end(): void;
  fail(error: unknown): void;
}

/** The job of one replica, and its runs. */
function replica(options: Partial<ScheduledJobOptions> = {}) {
  const manager = lockManager();
  const job = manager.locks.jobs.job('a', { interrupted: 'repeat', ...options });
  const runs: Run[] = [];
  const work = (tick: Tick): Promise<string> =>
    new Promise((resolve, reject) => {
      runs.push({ tick, end: () => resolve(`run of ${tick.scheduledAt.toISOString()}`), fail: reject });
    });
  const call = (minute: number, calledAt = at(minute)): Promise<string | undefined> =>
    job.run({ scheduledAt: at(minute), calledAt }, work);
  /** The store grants the last attempt the lock. The last completed run was that of a minute. */
  const grant = async (last?: number): Promise<TestGrant> => {
    await settled();
    const granted = new TestGrant();
    granted.written = last === undefined ? undefined : iso(last);
    manager.provider.last.grant(granted);
    await settled();
    return granted;
  };
  const minutes = (): number[] => runs.map(({ tick }) => (tick.scheduledAt.getTime() - START) / MINUTE_MS);
  return { ...manager, call, grant, runs, minutes };
}

/** Grants the lock, which is lost while the note is written. */
async function grantUntilStored(provider: ScriptedProvider): Promise<void> {
  const granted = new TestGrant();
  granted.note.write = async () => {
    granted.lose('session');
    throw new LockLostError('a', 'session');
  };
  await settled();
  provider.last.grant(granted);
  await settled();
}

/** Grants the lock, whose note is empty, and is read when the test says so. */
async function grantWithSlowNote(
  provider: ScriptedProvider,
): Promise<{ readonly granted: TestGrant; readonly answer: () => void }> {
  const granted = new TestGrant();
  let answer = (): void => {};
  granted.note.read = () => new Promise((resolve) => (answer = () => resolve(undefined)));
  await settled();
  provider.last.grant(granted);
  await settled();
  return { granted, answer: () => answer() };
}

describe('a scheduled time', () => {
  test('is run, and complete when the run has ended, before the lock is free', async () => {
    const { call, grant, runs } = replica();
    const result = call(5);
    const granted = await grant();
    expect(runs[0]!.tick).toMatchObject({
      scheduledAt: new Date(at(5)),
      previous: undefined,
      fencingToken: 1n,
    });
    expect(granted.written).toBeUndefined();
    granted.release = () => expect.fail('The lock is released before the note is written');
    const release = TestGrant.prototype.release.bind(granted);
    granted.note.write = async (text) => {
      granted.written = text;
      granted.release = release;
    };
    runs[0]!.end();
    expect(await result).toBe(`run of ${iso(5)}`);
    expect(granted.written).toBe(iso(5));
    expect(granted.releases).toBe(1);
  });

  test('is not run if another replica has completed it, or a later one', async () => {
    for (const last of [5, 6]) {
      const { call, grant, minutes } = replica();
      const result = call(5);
      const granted = await grant(last);
      expect(await result).toBeUndefined();
      expect(minutes()).toEqual([]);
      expect(granted).toMatchObject({ written: iso(last), releases: 1 });
    }
  });

  test('is run with the time of the last completed run, of whatever replica', async () => {
    const { call, grant, runs } = replica();
    void call(5);
    await grant(2);
    expect(runs[0]!.tick.previous).toEqual(new Date(at(2)));
    expect(currentLock()).toBeUndefined();
  });

  test('is run if the note is not a time', async () => {
    const { call, provider, minutes } = replica();
    void call(5);
    const granted = new TestGrant();
    granted.written = 'garbage';
    await settled();
    provider.last.grant(granted);
    await settled();
    expect(minutes()).toEqual([5]);
  });

  test('is complete if its run fails: the others do not try', async () => {
    const { call, grant, runs } = replica();
    const error = rejectionOf(call(5));
    const granted = await grant();
    runs[0]!.fail(new Error('disk full'));
    expect(await error).toMatchObject({ message: 'disk full' });
    expect(granted).toMatchObject({ written: iso(5), releases: 1 });
  });

  test.for(['ends', 'fails'] as const)(
    'is not complete if its run releases the lock, and %s',
    async (how) => {
      const { locks, provider } = lockManager();
      const job = locks.jobs.job('a', { interrupted: 'repeat' });
      const error = rejectionOf(
        job.run({ scheduledAt: at(5), calledAt: at(5) }, async () => {
          await currentLock()!.release();
          if (how === 'fails') throw new Error('disk full');
        }),
      );
      const granted = new TestGrant();
      await settled();
      provider.last.grant(granted);
      const released = { code: 'LOCK_LOST', reason: 'released' };
      expect(await error).toMatchObject(how === 'ends' ? released : { message: 'disk full' });
      expect(granted).toMatchObject({ written: undefined, releases: 1 });
    },
  );

  test('is not complete if its run stops because the lock is lost', async () => {
    const { call, grant, runs } = replica();
    const error = rejectionOf(call(5));
    const granted = await grant();
    granted.lose('session');
    expect(await error).toMatchObject({ code: 'LOCK_LOST', reason: 'session' });
    expect(runs[0]!.tick.signal.aborted).toBe(true);
    let writes = 0;
    granted.note.write = async () => void (writes += 1);
    runs[0]!.fail(new Error('stopped'));
    await settled();
    expect(writes).toBe(0);
  });

  test('is complete before it is run, with `skip`', async () => {
    const { call, grant, runs } = replica({ interrupted: 'skip' });
    const result = call(5);
    const granted = await grant();
    expect(granted.written).toBe(iso(5));
    granted.note.write = () => expect.fail('It is written twice');
    runs[0]!.end();
    await result;
  });

  test('is run under another lock if the first one was lost while the note was read', async () => {
    const { call, grant, provider, minutes, runs } = replica();
    const result = call(5);
    const granted = new TestGrant();
    // As after a stall of the event loop: the clock has passed the deadline, and nobody has noticed.
    granted.note.read = async () => {
      granted.deadline = -Infinity;
      return undefined;
    };
    await settled();
    provider.last.grant(granted);
    await settled();
    expect(minutes()).toEqual([]);
    expect(provider.attempts).toHaveLength(2);
    await grant();
    runs[0]!.end();
    expect(await result).toBe(`run of ${iso(5)}`);
  });

  test('is not run again if the lock was lost after it was complete, with `skip`', async () => {
    const { call, provider, minutes } = replica({ interrupted: 'skip' });
    const error = rejectionOf(call(5));
    const granted = new TestGrant();
    granted.note.write = async () => granted.lose('session');
    await settled();
    provider.last.grant(granted);
    expect(await error).toMatchObject({ code: 'LOCK_LOST', reason: 'session' });
    expect(minutes()).toEqual([]);
  });

  test('is not dropped in silence if the lock was lost while `skip` stored it, and it was stored', async () => {
    const { call, grant, provider, minutes } = replica({ interrupted: 'skip' });
    const error = rejectionOf(call(5));
    await grantUntilStored(provider);
    await grant(5);
    expect(await error).toMatchObject({ code: 'LOCK_LOST', reason: 'session' });
    expect(minutes()).toEqual([]);
  });

  test('is run if the lock was lost while `skip` stored it, and it was not stored', async () => {
    const { call, grant, provider, runs } = replica({ interrupted: 'skip' });
    const result = call(5);
    await grantUntilStored(provider);
    await grant();
    runs[0]!.end();
    expect(await result).toBe(`run of ${iso(5)}`);
  });

  test('is run for as long as its ttl, however long it takes before to read the note', async () => {
    const { call, provider, clock, minutes } = replica({ ttl: 100 });
    const error = rejectionOf(call(5));
    const { granted, answer } = await grantWithSlowNote(provider);
    await clock.run(1_000);
    answer();
    await settled();
    expect(minutes()).toEqual([5]);
    await clock.run(99);
    expect(granted.releases).toBe(0);
    await clock.run(1);
    expect(await error).toMatchObject({ code: 'LOCK_LOST', reason: 'ttl' });
    expect(provider.attempts).toHaveLength(1);
  });

  test('is not stored, with `skip`, by a hold that was lost while the note was read', async () => {
    const { call, grant, provider, runs } = replica({ interrupted: 'skip' });
    const result = call(5);
    const { granted, answer } = await grantWithSlowNote(provider);
    const write = vi.spyOn(granted.note, 'write');
    granted.lose('session');
    await settled();
    answer();
    await grant();
    runs[0]!.end();
    expect(await result).toBe(`run of ${iso(5)}`);
    expect(write).not.toHaveBeenCalled();
  });
});

describe('scheduled times that pass meanwhile', () => {
  test('while the replica waits are one run, for the latest of them, after that for which it waits', async () => {
    const { call, grant, provider, runs, minutes } = replica();
    const calls = [call(5), call(6), call(7)];
    await settled();
    expect(provider.attempts).toHaveLength(1);
    await grant(4);
    runs[0]!.end();
    await settled();
    await grant(5);
    runs[1]!.end();
    expect(await Promise.all(calls)).toEqual([`run of ${iso(5)}`, undefined, `run of ${iso(7)}`]);
    expect(minutes()).toEqual([5, 7]);
  });

  test('during a run are one run after it, for the latest of them', async () => {
    const { call, grant, provider, runs, minutes } = replica();
    const first = call(5);
    await grant();
    const [second, third] = [call(6), call(7)];
    // It does not even wait for the run.
    expect(await second).toBeUndefined();
    expect(provider.attempts).toHaveLength(1);
    runs[0]!.end();
    await first;
    await settled();
    expect(provider.attempts).toHaveLength(2);
    await grant(5);
    expect(minutes()).toEqual([5, 7]);
    expect(runs[1]!.tick.previous).toEqual(new Date(at(5)));
    runs[1]!.end();
    expect(await third).toBe(`run of ${iso(7)}`);
  });

  test('during a run that fails are not lost', async () => {
    const { call, grant, runs, minutes } = replica();
    const first = rejectionOf(call(5));
    await grant();
    void call(6);
    runs[0]!.fail(new Error('disk full'));
    await first;
    await settled();
    await grant(5);
    expect(minutes()).toEqual([5, 6]);
  });

  test('and that other replicas complete cost nothing more', async () => {
    const { call, grant, provider } = replica();
    const first = call(5);
    const second = call(6);
    await grant(6);
    expect(await Promise.all([first, second])).toEqual([undefined, undefined]);
    expect(provider.attempts).toHaveLength(1);
  });
});

describe('a job that calls itself', () => {
  test('is refused while its run would wait for the call', async () => {
    const { locks, grant } = replica();
    const job = locks.jobs.job('a', { interrupted: 'repeat' });
    const report = (attempt: number): Promise<string | undefined> =>
      job.run({ scheduledAt: at(5), calledAt: at(5) }, () => (attempt === 1 ? report(2) : 'done'));
    const error = rejectionOf(report(1));
    const granted = await grant();
    expect(await error).toMatchObject({
      code: 'LOCK_CONFIGURATION',
      message: expect.stringMatching(
        /^Scheduled job 'a' is called by its own run: .* Put the work into another method/,
      ),
    });
    expect(granted).toMatchObject({ written: iso(5), releases: 1 });
  });

  test('is refused also behind the run of another job', async () => {
    const { locks, grant } = replica();
    const [a, b] = ['a', 'b'].map((name) => locks.jobs.job(name, { interrupted: 'repeat' }));
    const call = { scheduledAt: at(5), calledAt: at(5) };
    const error = rejectionOf(a!.run(call, () => b!.run(call, () => a!.run(call, () => 'done'))));
    await grant();
    await grant();
    expect(await error).toMatchObject({ code: 'LOCK_CONFIGURATION' });
  });

  test('runs if its run has ended before, as with a timer', async () => {
    const { locks, grant } = replica();
    const job = locks.jobs.job('a', { interrupted: 'repeat' });
    let next: Promise<unknown> = Promise.resolve();
    const ended = new Promise<void>((resolve) => {
      const first = job.run({ scheduledAt: at(5), calledAt: at(5) }, () => {
        next = first.then(() => job.run({ scheduledAt: at(6), calledAt: at(6) }, () => 'again'));
        resolve();
      });
    });
    await grant();
    await ended;
    await grant(5);
    expect(await next).toBe('again');
  });
});

describe('a replica', () => {
  test('waits for as long as a run takes, without a warning', async () => {
    const { call, provider, clock, warnings } = replica();
    void call(5);
    await settled();
    provider.last.queue();
    await clock.run(60 * MINUTE_MS);
    expect(provider.last.request).toMatchObject({ immediate: false, maxWaiters: Infinity });
    expect(provider.last.request.abort.aborted).toBe(false);
    expect(warnings).toEqual([]);
  });

  test('without contact warns once, and tries again until it has contact', async () => {
    const { call, grant, provider, clock, warnings, minutes } = replica();
    void call(5);
    for (let attempts = 1; attempts <= 3; attempts += 1) {
      await settled();
      expect(provider.attempts).toHaveLength(attempts);
      provider.last.fail(new LockUnavailableError('a', 'no contact'));
      await clock.run(5_000);
    }
    expect(warnings).toEqual([expect.stringContaining("Scheduled job 'a' waits for contact: ")]);
    await grant();
    expect(minutes()).toEqual([5]);
  });

  test('gives up if no lock will ever be granted', async () => {
    const { call, provider } = replica();
    const error = rejectionOf(call(5));
    await settled();
    provider.usable = false;
    provider.last.fail(new LockUnavailableError('a', 'refused'));
    expect(await error).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  });

  test.each(['waits', 'pauses', 'has been called after the end'])(
    'that %s when the service closes does not run, and reports no error',
    async (state) => {
      const { call, provider, locks } = replica();
      const result = state === 'has been called after the end' ? undefined : call(5);
      await settled();
      if (state === 'pauses') provider.last.fail(new LockUnavailableError('a', 'no contact'));
      await settled();
      await locks.lifecycle.stop();
      expect(await (result ?? call(5))).toBeUndefined();
    },
  );

  test('that runs when the service closes completes the run', async () => {
    const { call, grant, runs, locks } = replica();
    const result = call(5);
    const granted = await grant();
    const stopped = watched(locks.lifecycle.stop());
    expect(await stopped()).toBe(false);
    runs[0]!.end();
    await result;
    expect(granted.written).toBe(iso(5));
    expect(await stopped()).toBe(true);
  });

  test('whose clock is far behind the last completed run warns once', async () => {
    const { call, grant, warnings } = replica();
    const near = call(5);
    await grant(6);
    await near;
    expect(warnings).toEqual([]);
    const first = call(7);
    await grant(500);
    const second = call(8);
    await grant(500);
    expect(await Promise.all([first, second])).toEqual([undefined, undefined]);
    expect(warnings).toEqual([expect.stringContaining(`Scheduled job 'a' does not run before ${iso(500)}`)]);
  });

  test('runs again when the note of a clock that was far ahead has been deleted', async () => {
    const { call, grant, runs, minutes } = replica();
    const early = call(5);
    await grant(500);
    expect(await early).toBeUndefined();
    const next = call(6);
    const granted = await grant();
    expect(minutes()).toEqual([6]);
    runs[0]!.end();
    await next;
    expect(granted.written).toBe(iso(6));
  });

  test('that outlasts its lock is not complete, and has not failed', async () => {
    const { call, grant, runs, log } = replica();
    const result = rejectionOf(call(5));
    const granted = await grant();
    granted.lose('session');
    expect(await result).toMatchObject({ code: 'LOCK_LOST', reason: 'session' });
    runs[0]!.end();
    await settled();
    expect(granted.written).toBeUndefined();
    expect(log).not.toContain('workRejected');
  });
});

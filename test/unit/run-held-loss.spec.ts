import { describe, expect, test } from 'vitest';
import { runHeld } from '../../lib/locking/run-held.js';
import { settled } from './fake-clock.js';
import { hold } from './hold-harness.js';
import { TestGrant } from './test-grant.js';
import { Work, ownError, run } from './work-harness.js';

describe('work whose lock is lost', () => {
  test('rejects immediately, and its late result is dropped', async () => {
    const { work, outcome, held, grant, log } = run({ grant: new TestGrant(1n, true) });
    grant.lose('session');
    await expect(outcome).rejects.toBe(held.signal.reason);
    work.resolve('paid');
    await settled();
    expect(log).toEqual(['abort session', 'lost session']);
  });

  test('causes one event, and nothing else, if it rejects late', async () => {
    const { work, outcome, grant, events } = run();
    grant.lose('session');
    await expect(outcome).rejects.toMatchObject({ reason: 'session' });
    work.reject(ownError);
    await settled();
    const rejections = events.filter(({ type }) => type === 'workRejected');
    expect(rejections).toEqual([
      expect.objectContaining({ resource: 'order:42', owner: 'me', fencingToken: 1n, error: ownError }),
    ]);
  });

  test('causes no event if it stops with the reason of the signal', async () => {
    const { held, grant, log } = hold();
    const outcome = runHeld(held, async () => {
      await new Promise((_, reject) => {
        held.signal.addEventListener('abort', () => reject(held.signal.reason as Error));
      });
    });
    grant.lose('session');
    await expect(outcome).rejects.toBe(held.loss);
    await settled();
    expect(log).not.toContain('workRejected');
  });

  test('causes no event if an API wraps that reason', async () => {
    const { held, grant, log } = hold();
    const outcome = runHeld(held, async () => {
      await new Promise((_, reject) => {
        held.signal.addEventListener('abort', () =>
          reject(new Error('aborted', { cause: held.signal.reason })),
        );
      });
    });
    grant.lose('session');
    await expect(outcome).rejects.toBe(held.loss);
    await settled();
    expect(log).not.toContain('workRejected');
  });

  test('causes no event if assertHeld throws after a stall', async () => {
    const { held, clock, log } = hold({ ttl: 500 });
    const outcome = runHeld(held, async () => {
      clock.stall(600);
      held.assertHeld();
    });
    await expect(outcome).rejects.toMatchObject({ reason: 'ttl' });
    await settled();
    expect(log).not.toContain('workRejected');
  });

  test('has its result dropped if it ends after a stall, before any timer', async () => {
    const { held, clock } = hold({ ttl: 500 });
    const outcome = runHeld(held, async () => {
      clock.stall(600);
      return 'paid';
    });
    await expect(outcome).rejects.toMatchObject({ reason: 'ttl' });
  });

  test('keeps its node until it has settled if the application shuts down', async () => {
    const { work, outcome, held, grant } = run();
    held.abandon();
    await expect(outcome).rejects.toMatchObject({ reason: 'shutdown' });
    await settled();
    expect(grant.releases).toBe(0);
    work.resolve('paid');
    await settled();
    expect(grant.releases).toBe(1);
  });
});

describe('a lock that is lost before its work', () => {
  test.for(['reported', 'not reported yet'])('%s: the work is never started', async (moment) => {
    const { held, grant, clock, log } = hold();
    if (moment === 'reported') grant.lose('session');
    else grant.deadline = clock.elapsed();
    const work = new Work();
    await expect(runHeld(held, work.run)).rejects.toBe(held.loss);
    expect(held.loss).toMatchObject({ reason: 'session' });
    expect(work.started).toBe(0);
    await settled();
    expect(log.filter((entry) => entry !== 'ended')).toEqual(['abort session', 'lost session']);
  });
});

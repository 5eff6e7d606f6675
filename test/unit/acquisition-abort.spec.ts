import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { LockOptions } from '../../lib/locking/lock-options.js';
import { settled } from './fake-clock.js';
import { lockManager, rejectionOf } from './manager-harness.js';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('the signal of the caller', () => {
  test.for([[new Error('enough')], ['a text'], [null], [undefined]])(
    'ends the wait with its own reason: %s',
    async ([reason]) => {
      const { locks, clock, events } = lockManager();
      const controller = new AbortController();
      const waiting = rejectionOf(locks.lock('a', { signal: controller.signal, wait: 5_000 }));
      clock.advance(20);
      controller.abort(reason);
      expect(await waiting).toBe(controller.signal.reason);
      expect(events).toEqual([
        expect.objectContaining({ type: 'aborted', waitedMs: 20, reason: controller.signal.reason }),
      ]);
      expect(clock.timers).toBe(0);
      expect(listeners(controller.signal)).toBe(0);
    },
  );

  test('if already aborted, ends the acquisition before the provider is called (H47)', async () => {
    const { locks, provider, log } = lockManager();
    const reason = new Error('too late');
    expect(await rejectionOf(locks.lock('a', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(provider.attempts).toEqual([]);
    expect(log).toEqual(['aborted']);
  });

  test('aborts the request to the provider too', async () => {
    const { locks, provider } = lockManager();
    const controller = new AbortController();
    const waiting = rejectionOf(locks.lock('a', { signal: controller.signal }));
    controller.abort('enough');
    expect(provider.last.request.abort.reason).toBe('enough');
    await waiting;
  });

  test('does not end a hold', async () => {
    const { locks, provider, log } = lockManager();
    const controller = new AbortController();
    const acquiring = locks.lock('a', { signal: controller.signal });
    provider.last.grant();
    const held = await acquiring;
    controller.abort();
    await settled();
    expect(held.isHeld()).toBe(true);
    expect(held.signal.aborted).toBe(false);
    expect(log).toEqual(['acquired']);
  });
});

describe('a reply that arrives with the abort or after it', () => {
  test('is released if it is a grant (H45)', async () => {
    const { locks, provider, log } = lockManager();
    const controller = new AbortController();
    const acquiring = rejectionOf(locks.lock('a', { signal: controller.signal }));
    const grant = provider.last.grant();
    controller.abort('enough');
    expect(await acquiring).toBe('enough');
    expect(grant.releases).toBe(1);
    expect(log).toEqual(['aborted']);
  });

  test('is ignored if it is busy', async () => {
    const { locks, provider, log } = lockManager();
    const controller = new AbortController();
    const acquiring = rejectionOf(locks.lock('a', { signal: controller.signal, wait: 0 }));
    provider.last.busy();
    controller.abort('enough');
    expect(await acquiring).toBe('enough');
    expect(log).toEqual(['aborted']);
  });

  test('is ignored if it is an error', async () => {
    const { locks, provider, events } = lockManager();
    const controller = new AbortController();
    const acquiring = rejectionOf(locks.lock('a', { signal: controller.signal }));
    provider.last.fail(new Error('unreachable'));
    controller.abort('enough');
    expect(await acquiring).toBe('enough');
    expect(events).toEqual([expect.objectContaining({ type: 'aborted', reason: 'enough' })]);
  });

  test('an abort after the timeout changes nothing', async () => {
    const { locks, provider, clock, log } = lockManager();
    const controller = new AbortController();
    const acquiring = rejectionOf(locks.lock('a', { signal: controller.signal, wait: 50 }));
    provider.last.queue();
    clock.advance(50);
    controller.abort('enough');
    expect(await acquiring).toMatchObject({ code: 'LOCK_TIMEOUT' });
    expect(log).toEqual(['waiting', 'timedOut']);
  });
});

describe('10,000 acquisitions on one signal', () => {
  const count = 10_000;

  test('in sequence leave no listener, however they end (H47)', async () => {
    const { locks, provider, clock } = lockManager();
    const { signal } = new AbortController();
    const once = async (options: LockOptions, end: () => void) => {
      const ending = locks.lock('a', { ...options, signal });
      end();
      await ending.then((held) => held.release()).catch(() => {});
    };
    for (let i = 0; i < count / 4; i += 1) {
      await once({}, () => provider.last.grant());
      await once({ wait: 0 }, () => provider.last.busy());
      await once({ wait: 5 }, () => clock.advance(5));
      await once({}, () => provider.last.fail(new Error('no')));
    }
    expect(provider.attempts).toHaveLength(count);
    expect(listeners(signal)).toBe(0);
    expect(clock.timers).toBe(0);
  });

  test('in parallel share one listener without a leak warning, and all end with the abort', async () => {
    const { locks, clock, log } = lockManager();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const controller = new AbortController();
    const { signal } = controller;
    const all = Promise.allSettled(Array.from({ length: count }, () => locks.lock('a', { signal })));
    expect(listeners(signal)).toBe(1);
    controller.abort('enough');
    const outcomes = await all;
    expect(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason === 'enough')).toBe(
      true,
    );
    expect(log).toHaveLength(count);
    expect(listeners(signal)).toBe(0);
    expect(clock.timers).toBe(0);
    await settled();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

import { merge } from 'rxjs';
import { expect, test } from 'vitest';
import { countingTimers } from './alive-timers.js';
import { granted, lockManager, watched } from './manager-harness.js';
import { TestGrant } from './test-grant.js';

test('close stops, then closes the provider, then emits closed and completes all streams', async () => {
  const manager = lockManager();
  const { locks, provider, log } = manager;
  let completed = 0;
  const { events$, state$, ready$, lost$ } = locks.events;
  merge(events$, state$, ready$, lost$).subscribe({ complete: () => (completed += 1) });
  const held = await granted(manager);
  const closed = watched(locks.lifecycle.close());
  expect(await closed()).toBe(false);
  expect(provider.calls).toEqual([]);
  await held.release();
  expect(await closed()).toBe(true);
  expect(provider.calls).toEqual(['close']);
  expect(log).toEqual(['acquired', 'released', 'closed']);
  expect(completed).toBe(1);
  expect(locks.events.state).toBe('closed');
});

test('a second close does nothing', async () => {
  const { locks, provider } = lockManager();
  await Promise.all([locks.lifecycle.close(), locks.lifecycle.close()]);
  await locks.lifecycle.close();
  expect(provider.calls).toEqual(['close']);
});

test('close leaves an unreleased hold to the end of the session', async () => {
  const manager = lockManager({ drainTimeout: 0 });
  const grant = new TestGrant();
  await granted(manager, {}, grant);
  const closed = watched(manager.locks.lifecycle.close());
  await manager.clock.run(0);
  expect(await closed()).toBe(true);
  expect(grant.releases).toBe(0);
  expect(manager.log).toEqual(['acquired', 'lost', 'closed']);
});

test.for([
  ['goes on', false],
  ['was released, and one that is nested in it goes on', true],
] as const)('after close, a hold that %s does not keep the process alive', ([, releases]) =>
  countingTimers(async (alive) => {
    const manager = lockManager({ drainTimeout: 0 });
    manager.locks.lifecycle.started();
    const outer = await granted(manager);
    await outer.run(() => manager.locks.lock('a', { reentrant: true }));
    if (releases) void outer.release();
    expect(alive()).toBe(1);
    const closing = manager.locks.lifecycle.close();
    await manager.clock.run(0);
    await closing;
    expect(alive()).toBe(0);
  }),
);

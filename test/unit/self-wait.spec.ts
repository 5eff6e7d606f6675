import { expect, test } from 'vitest';
import { granted, lockManager } from './manager-harness.js';
import { runHeld } from '../../lib/locking/run-held.js';
import { settled } from './fake-clock.js';

test('warns, once per acquisition, of code that waits for a lock that it already holds', async () => {
  const manager = lockManager();
  const { locks, provider, warnings } = manager;
  const held = await granted(manager, { purpose: 'Orders.pay' });

  const work = runHeld(held, () => locks.lock('a', { wait: 1_000, purpose: 'Orders.refund' }));
  await settled();
  provider.last.queue(1, 'me');

  expect(warnings).toEqual([
    expect.stringContaining(
      "Possible self-deadlock: Orders.refund is waiting for lock 'a', which its caller Orders.pay already holds",
    ),
  ]);
  provider.last.grant();
  await work;
});

test('the warning reads well without purposes', async () => {
  const manager = lockManager();
  const held = await granted(manager);
  const work = runHeld(held, () => manager.locks.lock('a', { wait: 1_000 }));
  await settled();
  manager.provider.last.queue(1, 'me');
  expect(manager.warnings).toEqual([
    expect.stringMatching(
      /^Possible self-deadlock: a call is waiting for lock 'a', which its caller already holds\. Set/,
    ),
  ]);
  manager.provider.last.grant();
  await work;
});

test('does not warn of code that waits for another lock, or has released its own', async () => {
  const manager = lockManager();
  const { locks, provider, warnings } = manager;
  const held = await granted(manager);

  await runHeld(held, async () => {
    const other = locks.lock('b');
    await settled();
    provider.last.queue();
    provider.last.grant();
    await other;
    await held.release();
    const again = locks.lock('a');
    await settled();
    provider.last.queue();
    provider.last.grant();
    await again;
  });

  expect(warnings).toEqual([]);
});

import { expect, test } from 'vitest';
import { granted, lockManager } from './manager-harness.js';
import { runHeld } from '../../lib/locking/run-held.js';
import { settled } from './fake-clock.js';

test('code that waits for a lock it runs under is told so, once per attempt', async () => {
  const manager = lockManager();
  const { locks, provider, warnings } = manager;
  const held = await granted(manager, { purpose: 'Orders.pay' });

  const work = runHeld(held, () => locks.lock('a', { wait: 1_000, purpose: 'Orders.refund' }));
  await settled();
  provider.last.queue(1, 'me');

  expect(warnings).toEqual([
    expect.stringContaining(
      "Lock 'a' is waited for by code that runs under it (Orders.pay calls Orders.refund)",
    ),
  ]);
  provider.last.grant();
  await work;
});

test('code that waits for another lock, or after its own was released, is not', async () => {
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

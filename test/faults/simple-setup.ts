import { expect } from 'vitest';
import type { HeldLock, LockModuleOptions } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import type { TestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

/** A lock without a queue. */
export const SIMPLE = { fair: false } as const;

/** The root exists: the first create is that of the lock, and does not fail for a missing parent. */
export async function withRoot(server: TestServer, options?: LockModuleOptions): Promise<ProxiedLocks> {
  const setup = await ProxiedLocks.start(server, options);
  await (await setup.others.lock('order', SIMPLE)).release();
  return setup;
}

export async function isTaken(setup: ProxiedLocks): Promise<boolean> {
  return (await setup.observer.exists(setup.path('order'))) !== null;
}

/** A call in another process, which waits already. */
export async function nextWaiter({ others }: ProxiedLocks): Promise<{ readonly granted: Promise<HeldLock> }> {
  let isWaiting = false;
  const subscription = others.events$.subscribe(({ type }) => (isWaiting ||= type === 'waiting'));
  const granted = others.lock('order', SIMPLE);
  await eventually(() => isWaiting);
  subscription.unsubscribe();
  return { granted };
}

/** A holder behind the proxy, which watches its node, and a call in another process that waits for it. */
export async function watchingHolder(
  setup: ProxiedLocks,
): Promise<{ readonly held: HeldLock; readonly granted: Promise<HeldLock> }> {
  const held = await setup.locks.lock('order', SIMPLE);
  await setup.proxy.waitFor('getData', { direction: 'reply' });
  return { held, ...(await nextWaiter(setup)) };
}

/** A holder in another process, and a call behind the proxy that waits for it. */
export async function waiterBehindProxy(
  setup: ProxiedLocks,
): Promise<{ readonly holder: HeldLock; readonly granted: Promise<HeldLock> }> {
  const holder = await setup.others.lock('order', SIMPLE);
  const granted = setup.locks.lock('order', SIMPLE);
  await eventually(() => setup.count('waiting') === 1);
  return { holder, granted };
}

/** Resolves when the locks behind the proxy know that they have no connection. */
export async function cutOff(setup: ProxiedLocks): Promise<void> {
  setup.proxy.refuse();
  await eventually(() => setup.count('suspended') === 1);
}

/** Nothing that the former holder has sent takes the lock from the next one, which then releases it. */
export async function expectKept(setup: ProxiedLocks, next: HeldLock): Promise<void> {
  // Answered after everything that the session has sent before.
  await setup.locks.inspect('nothing');
  expect(await isTaken(setup)).toBe(true);
  expect(next.isHeld()).toBe(true);
  expect(await next.release()).toBe(true);
}

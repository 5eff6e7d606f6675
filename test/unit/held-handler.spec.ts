import { Subject, from, type Observable } from 'rxjs';
import { expect, test } from 'vitest';
import { heldHandler } from '../../lib/execution/held-handler.js';
import { HoldGuard } from '../../lib/locking/hold-guard.js';
import { settled } from './fake-clock.js';
import { hold } from './hold-harness.js';

/** A handler under a lock, and what its subscriber and `discard` have seen. */
function subscribed(handle: () => Observable<unknown>) {
  const started = hold();
  const seen: unknown[] = [];
  const discarded: unknown[] = [];
  const result$ = heldHandler(new HoldGuard(started.held), handle, (value) => discarded.push(value));
  const subscription = result$.subscribe({
    next: (value) => seen.push(value),
    error: ({ reason }: { reason: string }) => seen.push(`failed: ${reason}`),
    complete: () => seen.push('completed'),
  });
  return { ...started, seen, discarded, subscription };
}

/** A handler that returns a Promise, which a test settles. */
function promised() {
  let resolve: (value: unknown) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise((onResolve, onReject) => ([resolve, reject] = [onResolve, onReject]));
  return { ...subscribed(() => from(promise)), resolve, reject };
}

test('a Promise is passed on after the release', async () => {
  const { resolve, seen, log } = promised();
  resolve('done');
  await settled();
  expect(seen).toEqual(['done', 'completed']);
  expect(log).toEqual(['released', 'ended']);
});

test('a Promise that nobody waits for any more keeps the lock until it is fulfilled', async () => {
  const { resolve, seen, discarded, log, subscription } = promised();
  subscription.unsubscribe();
  await settled();
  expect(log).toEqual([]);
  resolve('late');
  await settled();
  expect(log).toEqual(['released', 'ended']);
  expect([seen, discarded]).toEqual([[], ['late']]);
});

test('a Promise that nobody waits for any more keeps the lock until it is rejected', async () => {
  const { reject, seen, discarded, log, subscription } = promised();
  subscription.unsubscribe();
  await settled();
  expect(log).toEqual([]);
  reject(new Error('late'));
  await settled();
  expect(log).toEqual(['released', 'ended']);
  expect([seen, discarded]).toEqual([[], []]);
});

test('an unsubscription from a Promise that has settled does not change the release', async () => {
  const { resolve, log, subscription } = promised();
  resolve('done');
  await settled();
  subscription.unsubscribe();
  expect(log).toEqual(['released', 'ended']);
});

test('a Promise that still runs when a shutdown takes its lock keeps the node until it settles', async () => {
  const { held, grant, resolve, seen } = promised();
  held.abandon();
  await settled();
  expect(seen).toEqual(['failed: shutdown']);
  expect(grant.releases).toBe(0);
  resolve('late');
  await settled();
  expect(grant.releases).toBe(1);
});

test('a rejection after the loss of the lock becomes an event', async () => {
  const { grant, reject, seen, events } = promised();
  grant.lose('session');
  expect(seen).toEqual(['failed: session']);
  const error = new Error('late');
  reject(error);
  await settled();
  expect(events.at(-1)).toMatchObject({ type: 'workRejected', error });
});

test('an Observable that has emitted is unsubscribed from at once', () => {
  const source$ = new Subject<number>();
  const { seen, log, subscription } = subscribed(() => source$);
  source$.next(1);
  expect(seen).toEqual([1]);
  subscription.unsubscribe();
  expect(source$.observed).toBe(false);
  expect(log).toEqual(['released']);
});

test('an Observable that has not emitted is unsubscribed from with its first value', async () => {
  const source$ = new Subject<number>();
  const { seen, log, subscription } = subscribed(() => source$);
  subscription.unsubscribe();
  expect(source$.observed).toBe(true);
  source$.next(1);
  expect(source$.observed).toBe(false);
  await settled();
  expect(log).toEqual(['released', 'ended']);
  expect(seen).toEqual([]);
});

test('an Observable that completes without a value frees the lock', async () => {
  const source$ = new Subject<number>();
  const { log, subscription } = subscribed(() => source$);
  subscription.unsubscribe();
  source$.complete();
  await settled();
  expect(log).toEqual(['released', 'ended']);
});

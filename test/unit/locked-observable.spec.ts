import { Observable, Subject, of } from 'rxjs';
import { expect, test } from 'vitest';
import { heldObservable } from '../../lib/execution/locked-observable.js';
import { HoldGuard } from '../../lib/locking/hold-guard.js';
import { settled } from './fake-clock.js';
import { hold } from './hold-harness.js';

function subscribed(source: (started: ReturnType<typeof hold>) => Observable<unknown>) {
  const started = hold({ ttl: 500 });
  const seen: unknown[] = [];
  const start = () =>
    heldObservable(new HoldGuard(started.held), () => source(started)).subscribe({
      next: (value) => seen.push(value),
      error: ({ reason }: { reason: string }) => seen.push(`failed: ${reason}`),
      complete: () => seen.push('completed'),
    });
  return { ...started, seen, start };
}

test('the source is not subscribed to after a stall (H41, H63)', () => {
  let asked = false;
  const { clock, seen, start } = subscribed(() => {
    asked = true;
    return of(1);
  });
  clock.stall(500);
  start();
  expect(seen).toEqual(['failed: ttl']);
  expect(asked).toBe(false);
});

test('no value is emitted after a stall, and the source is unsubscribed (H41, H63)', () => {
  const source$ = new Subject<number>();
  const { clock, seen, start } = subscribed(() => source$);
  start();
  source$.next(1);
  clock.stall(500);
  source$.next(2);
  source$.next(3);
  expect(seen).toEqual([1, 'failed: ttl']);
  expect(source$.observed).toBe(false);
});

test('a completion after a stall is a loss', async () => {
  const source$ = new Subject<number>();
  const { clock, seen, start } = subscribed(() => source$);
  start();
  clock.stall(500);
  source$.complete();
  await settled();
  expect(seen).toEqual(['failed: ttl']);
});

test('an error of the source after a stall is passed on, although the lock is lost', async () => {
  const source$ = new Subject<number>();
  const { clock, seen, start, log } = subscribed(() => source$);
  start();
  clock.stall(500);
  source$.error({ reason: 'its own' });
  await settled();
  expect(seen).toEqual(['failed: its own']);
  expect(log).toContain('ttlExpired');
});

test('an error of the source is passed on after the release', async () => {
  const source$ = new Subject<number>();
  const { clock, seen, start, log } = subscribed(() => source$);
  start();
  source$.error({ reason: 'its own' });
  await settled();
  expect(seen).toEqual(['failed: its own']);
  expect(log).toEqual(['released', 'ended']);
  expect(clock.timers).toBe(0);
});

import { Subscriber } from 'rxjs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { currentLock } from '../../lib/locking/current-lock.js';
import { AcquisitionEvents } from '../../lib/locking/acquisition-events.js';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import { HoldClock } from '../../lib/locking/hold-clock.js';
import { HoldEvents } from '../../lib/locking/hold-events.js';
import type { LockEvent } from '../../lib/locking/lock-event.interface.js';
import { LockEvents, type NewLockEvent } from '../../lib/locking/lock-events.js';
import { uncaughtExceptions } from '../support/uncaught-exceptions.js';
import { READY, SUSPENDED, busy, record, typeOf } from './event-streams.js';
import { FakeClock } from './fake-clock.js';
import { lockManager } from './manager-harness.js';

let clock: FakeClock;
let events: LockEvents;

beforeEach(() => {
  clock = new FakeClock();
  events = new LockEvents(clock);
});

function emit(...all: NewLockEvent[]): void {
  for (const event of all) events.emit(event);
}

test('an event has a wall-clock timestamp and reaches all subscribers, without replay', () => {
  const stamps: number[] = [];
  emit(busy('a'));
  events.events$.subscribe(({ at }) => stamps.push(at));
  clock.advance(5);
  emit(busy('a'));
  expect(stamps).toEqual([clock.wall()]);
});

test('subscribers run outside the holds of the code that causes an event, and for none of its callers', async () => {
  const { locks, provider, clock: time } = lockManager();
  const seen: string[] = [];
  locks.events.events$.subscribe(({ type }) => seen.push(`${type} in ${currentLock()?.resource}`));
  const work = locks.withLock('a', undefined, async () => {
    const asked = locks.lock('b', 5_000);
    provider.last.grant();
    const held = await asked;
    held.extend(100);
    await time.run(100);
    await held.release();
  });
  provider.last.grant();
  await work;
  expect(seen).toEqual([
    'acquired in undefined',
    'acquired in undefined',
    'extended in undefined',
    'ttlExpired in undefined',
    'released in undefined',
  ]);
});

test('grants and releases are only events while somebody subscribes, as the log does not', () => {
  const name = {
    resource: 'a',
    owner: 'me',
    purpose: undefined,
    mode: 'exclusive',
    fencingToken: 1n,
  } as const;
  const attempt = new AcquisitionEvents('a', name, { clock, events }, 0);
  const hold = new HoldEvents(name, events, new HoldClock(clock, 0, {}));
  const emitted = vi.spyOn(events, 'emit');
  const logged = record(events.notable$, typeOf);
  const lockOnce = (): void => {
    attempt.waiting(false, 1);
    attempt.acquired(1n);
    hold.emit('released');
  };
  lockOnce();
  expect(emitted).not.toHaveBeenCalled();
  const subscription = events.forResource('a').lost$.subscribe();
  lockOnce();
  expect(emitted.mock.calls.map(([{ type }]) => type)).toEqual(['waiting', 'acquired', 'released']);
  subscription.unsubscribe();
  lockOnce();
  expect(emitted).toHaveBeenCalledTimes(3);
  expect(logged).toEqual([]);
});

test('an event emitted by a subscriber comes after the current one, for every subscriber', () => {
  const show = (event: object) => ('resource' in event ? String(event.resource) : '-');
  events.events$.subscribe((event) => {
    if (event.type === 'busy' && event.resource.length < 3)
      emit(busy(`${event.resource}x`), busy(`${event.resource}yy`));
  });
  const second = record(events.events$, show);
  emit(busy('a'));
  expect(second).toEqual(['a', 'ax', 'ayy', 'axx', 'axyy']);
});

describe('the streams of one kind', () => {
  const hold = { resource: 'a', owner: 'me', mode: 'exclusive', fencingToken: 1n, heldMs: 5 } as const;
  const expired: NewLockEvent = { type: 'ttlExpired', ...hold };
  const lost: NewLockEvent = {
    type: 'lost',
    ...hold,
    reason: 'session',
    error: new LockLostError('a', 'session'),
  };

  test('emit only events of that kind', () => {
    const logs = [events.disconnected$, events.ttlExpired$, events.lost$].map((s) => record(s, typeOf));
    emit(READY, SUSPENDED, expired, lost, busy('a'));
    expect(logs).toEqual([['suspended'], ['ttlExpired'], ['lost']]);
  });

  test('of one resource omit other resources and the connection', () => {
    const { events$, ttlExpired$, lost$ } = events.forResource('a');
    const logs = [events$, ttlExpired$, lost$].map((stream) => record(stream, typeOf));
    emit(READY, busy('a'), busy('ab'), expired, { ...expired, resource: 'b' }, lost, {
      ...lost,
      resource: 'b',
    });
    expect(logs).toEqual([['busy', 'ttlExpired', 'lost'], ['ttlExpired'], ['lost']]);
  });
});

test('who subscribes to a resource because of an event does not get that one again', () => {
  const again: unknown[] = [];
  events.events$.subscribe((event) => {
    if (event.type === 'busy')
      events.forResource(event.resource).events$.subscribe(({ type }) => again.push(type));
  });
  emit(busy('a'));
  expect(again).toEqual([]);
  emit({ ...READY, type: 'failed', resource: 'a' } as unknown as NewLockEvent);
  expect(again).toEqual(['failed']);
});

test('the stream of a resource ends with the service, also for those who come later, and keeps nothing', () => {
  const { events$ } = events.forResource('a');
  const ends: string[] = [];
  events$.subscribe({ complete: () => ends.push('early') });
  emit(busy('a'), { type: 'closed' });
  events$.subscribe({ complete: () => ends.push('late') });
  expect(ends).toEqual(['early', 'late']);
  expect(events.hearsRoutine).toBe(false);
});

test('an error of a subscriber becomes an uncaught exception and does not affect other subscribers', async () => {
  const error = new Error('a slip in a log line');
  const before = record(events.events$, typeOf);
  events.events$.subscribe(() => {
    throw error;
  });
  const after = record(events.events$, typeOf);
  expect(await uncaughtExceptions(() => emit(READY))).toEqual([error]);
  expect(await uncaughtExceptions(() => emit(busy('a')))).toEqual([error]);
  expect([before, after]).toEqual([
    ['ready', 'busy'],
    ['ready', 'busy'],
  ]);
  expect(events.state).toBe('connected');
});

test('a custom Subscriber that throws breaks neither the streams nor the code that emits the event', async () => {
  const error = new Error('a slip in a log line');
  class Faulty extends Subscriber<LockEvent> {
    override next(): void {
      throw error;
    }
  }
  const before = record(events.events$, typeOf);
  events.events$.subscribe(new Faulty());
  expect(await uncaughtExceptions(() => emit(READY, busy('a'), { type: 'closed' }))).toEqual([
    error,
    error,
    error,
  ]);
  expect(before).toEqual(['ready', 'busy', 'closed', 'completed']);
  expect(events.state).toBe('closed');
});

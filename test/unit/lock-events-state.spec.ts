import type { Observable } from 'rxjs';
import { beforeEach, describe, expect, test } from 'vitest';
import { LockEvents, type NewLockEvent } from '../../lib/locking/lock-events.js';
import { CLOSED, EXPIRED, READY, RESUMED, SUSPENDED, busy, record, typeOf } from './event-streams.js';
import { FakeClock } from './fake-clock.js';

let events: LockEvents;

beforeEach(() => {
  events = new LockEvents(new FakeClock());
});

function emit(...all: NewLockEvent[]): void {
  for (const event of all) events.emit(event);
}

describe('state$', () => {
  test('replays the last state', () => {
    expect(record(events.state$, String)).toEqual(['connecting']);
    emit(READY);
    expect(record(events.state$, String)).toEqual(['connected']);
    expect(events.state).toBe('connected');
  });

  test('says `closed` also to those who come after that', () => {
    emit(READY, CLOSED);
    expect(record(events.state$, String)).toEqual(['closed', 'completed']);
  });

  test('follows the connection, and emits no state twice in a row', () => {
    const log = record(events.state$, String);
    emit(READY, busy('a'), SUSPENDED, SUSPENDED, RESUMED, SUSPENDED, EXPIRED, READY);
    emit({ type: 'authenticationFailed' }, CLOSED);
    expect(log).toEqual([
      ...['connecting', 'connected', 'suspended', 'connected', 'suspended', 'expired', 'connected'],
      ...['closed', 'completed'],
    ]);
  });

  test('has changed when the event is emitted', () => {
    const seen: string[] = [];
    events.events$.subscribe(() => seen.push(events.state));
    emit(READY, SUSPENDED, CLOSED);
    expect(seen).toEqual(['connected', 'suspended', 'closed']);
  });
});

describe('ready$', () => {
  test('emits at every connection and reconnection', () => {
    const log = record(events.ready$, typeOf);
    emit(READY, SUSPENDED, RESUMED, SUSPENDED, EXPIRED, READY);
    expect(log).toEqual(['ready', 'resumed', 'ready']);
  });

  test('emits at subscription if connected, after a ready or a resumed event', () => {
    emit(READY);
    expect(record(events.ready$, typeOf)).toEqual(['ready']);
    emit(SUSPENDED, RESUMED);
    expect(record(events.ready$, ({ server }) => server)).toEqual(['zk2:2181']);
  });

  test('emits once to who subscribes when the state changes', () => {
    const log: string[] = [];
    events.state$.subscribe((state) => {
      if (state === 'connected') events.ready$.subscribe(({ type }) => log.push(type));
    });
    emit(READY);
    expect(log).toEqual(['ready']);
  });

  test('emits nothing at subscription if not connected', () => {
    emit(READY, SUSPENDED);
    expect(record(events.ready$, typeOf)).toEqual([]);
  });
});

describe('after closed', () => {
  test('all streams are complete, even for later subscribers, and emit nothing more', () => {
    const resource = events.forResource('a');
    const { events$, state$, ready$, disconnected$, ttlExpired$, lost$ } = events;
    const streams: Observable<unknown>[] = [
      events$,
      state$,
      ready$,
      disconnected$,
      ttlExpired$,
      lost$,
      resource.events$,
      resource.lost$,
    ];
    const before = streams.map((stream) => record(stream, String));
    emit(READY, CLOSED);
    for (const log of before) expect(log.at(-1)).toBe('completed');
    const lengths = before.map((log) => log.length);
    emit(busy('a'));
    expect(before.map((log) => log.length)).toEqual(lengths);
    for (const stream of streams) expect(record(stream, String).at(-1)).toBe('completed');
    expect(record(events.ready$, typeOf)).toEqual(['completed']);
  });

  test('an event emitted by a subscriber of `closed` is dropped', () => {
    events.events$.subscribe(({ type }) => {
      if (type === 'closed') emit(busy('a'));
    });
    const log = record(events.events$, typeOf);
    emit(CLOSED);
    expect(log).toEqual(['closed', 'completed']);
  });
});

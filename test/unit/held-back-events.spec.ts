import { expect, test } from 'vitest';
import type { EventSink, NewLockEvent } from '../../lib/locking/lock-events.js';
import { HeldBackEvents } from '../../lib/locking/several/held-back-events.js';

const event = (type: string) => ({ type }) as NewLockEvent;

test('events that were held back come before those that they cause', () => {
  const told: string[] = [];
  const sink: EventSink = {
    hearsRoutine: true,
    emit: ({ type }) => {
      told.push(type);
      if (type === 'waiting') events.emit(event('lost'));
    },
  };
  const events = new HeldBackEvents(sink, () => {});
  events.emit(event('waiting'));
  events.emit(event('acquired'));
  expect(told).toEqual([]);
  events.tell();
  events.emit(event('released'));
  expect(told).toEqual(['waiting', 'acquired', 'lost', 'released']);
});

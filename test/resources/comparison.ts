import { expect } from 'vitest';
import type { OwnResources } from './own-resources.js';

/** A leak of one object per cycle exceeds the limits for 200 cycles more than twice. */
const OBJECTS_PER_CYCLE = 0.2;
/** A measurement may include work in flight, such as a heartbeat; otherwise the number is the same every time. */
const OBJECTS_IN_FLIGHT = 50;
/** A leak of 100 bytes in each of 10,000 cycles is twice this limit. The heap varies as code is compiled and dropped. */
const HEAP_BYTES = 500_000;

/** Expects that a process keeps no more after the cycles than before them, apart from bytes. */
export function expectNoMoreObjects(before: OwnResources, after: OwnResources, cycles: number): void {
  const { heap: _, objects, timers, ...counted } = after;
  expect(before).toMatchObject(counted);
  expect(objects - before.objects).toBeLessThan(cycles * OBJECTS_PER_CYCLE + OBJECTS_IN_FLIGHT);
  expect(timers - before.timers).toBeLessThan(cycles * OBJECTS_PER_CYCLE);
}

/** Only meaningful after a long warm-up, when all code has been compiled. */
export function expectNoMoreHeap(before: OwnResources, after: OwnResources): void {
  expect(after.heap - before.heap).toBeLessThan(HEAP_BYTES);
}

/** Both in one line, for the report. */
export function comparison(before: object, after: object): string {
  const earlier = new Map<string, number>(Object.entries(before));
  return Object.entries(after)
    .map(
      ([name, value]) => `${name} ${earlier.get(name)?.toLocaleString('en')} → ${value.toLocaleString('en')}`,
    )
    .join(', ');
}

import { expect } from 'vitest';
import type { OwnResources } from './own-resources.js';

/** An object that is kept in every cycle, be it ever so small, makes more than twice as many. */
const OBJECTS_PER_CYCLE = 0.2;
/** A measurement may find something under way, a heartbeat for one; otherwise the number is the same every time. */
const OBJECTS_UNDER_WAY = 200;
/** A hundred bytes in each of 10,000 cycles make twice as much. The heap goes up and down as code is compiled and dropped. */
const HEAP_BYTES = 500_000;

/** Expects that a process keeps after so many cycles what it kept before them, but for the bytes. */
export function expectNoMoreObjects(before: OwnResources, after: OwnResources, cycles: number): void {
  const { heap: _, objects, timers, ...counted } = after;
  expect(before).toMatchObject(counted);
  expect(objects - before.objects).toBeLessThan(cycles * OBJECTS_PER_CYCLE + OBJECTS_UNDER_WAY);
  expect(timers - before.timers).toBeLessThan(cycles * OBJECTS_PER_CYCLE);
}

/** To be expected only after a long warm-up, when all code has been compiled. */
export function expectNoMoreHeap(before: OwnResources, after: OwnResources): void {
  expect(after.heap - before.heap).toBeLessThan(HEAP_BYTES);
}

/** Both in one line, for a reader. */
export function comparison(before: object, after: object): string {
  const earlier = new Map<string, number>(Object.entries(before));
  return Object.entries(after)
    .map(
      ([name, value]) => `${name} ${earlier.get(name)?.toLocaleString('en')} → ${value.toLocaleString('en')}`,
    )
    .join(', ');
}

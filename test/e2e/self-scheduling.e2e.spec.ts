import { queryObjects } from 'node:v8';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect, test } from 'vitest';
import { FakeLockService, LockService, Locked } from '../../lib/index.js';
import { HeldLock } from '../../lib/locking/held-lock.js';
import { Latch } from '../fixtures/latch.js';

const RUNS = 20_000;

@Injectable()
class Poller {
  runs = 0;
  /** Of the runs, whether the flow that scheduled them still finds its own, ended hold. */
  readonly found: (boolean | undefined)[] = [];
  readonly finished = new Latch();

  @Locked('poll')
  async poll(): Promise<void> {
    this.runs += 1;
    if (this.runs === RUNS) return this.finished.open();
    setImmediate(() => {
      if (this.runs === 1) this.found.push(LockService.current('poll')?.isHeld());
      void this.poll();
    });
  }
}

test('a locked method that schedules its own next run keeps no hold of earlier runs (H64)', async () => {
  const module = await Test.createTestingModule({
    providers: [Poller, { provide: LockService, useClass: FakeLockService }],
  }).compile();
  const poller = module.get(Poller);

  await poller.poll();
  await poller.finished.opened;

  expect(poller.runs).toBe(RUNS);
  // Collects all garbage before it counts.
  expect(queryObjects(HeldLock, { format: 'count' })).toBeLessThan(10);
  // What H48 asks for is still so: the handle is found after its release.
  expect(poller.found).toEqual([false]);
  await module.close();
});

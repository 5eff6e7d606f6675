import { queryObjects } from 'node:v8';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect, test } from 'vitest';
import { LockService, Locked } from '../../lib/index.js';
import { Hold } from '../../lib/locking/hold.js';
import { FakeLockService } from '../../lib/testing/index.js';
import { Latch } from '../fixtures/latch.js';

const RUNS = 2_000;

type When = 'in a later turn' | 'before its own release';

@Injectable()
class Poller {
  runs = 0;
  /** Whether the code that schedules the second run still finds the ended hold of its run. */
  found: boolean | undefined;
  when: When = 'in a later turn';
  readonly finished = new Latch();

  @Locked('poll')
  async poll(): Promise<void> {
    this.runs += 1;
    if (this.runs === RUNS) return this.finished.open();
    if (this.when === 'before its own release') {
      // Avoids a stack overflow.
      await Promise.resolve();
      return void this.poll();
    }
    setImmediate(() => {
      this.found ??= LockService.current('poll')?.isHeld();
      void this.poll();
    });
  }
}

test.each<[When, found: boolean | undefined]>([
  // Code that a method has scheduled still finds the handle of its ended hold (H48).
  ['in a later turn', false],
  ['before its own release', undefined],
])(
  'a locked method that schedules its next run %s retains no hold of earlier runs (H64)',
  async (when, found) => {
    const module = await Test.createTestingModule({
      providers: [Poller, { provide: LockService, useClass: FakeLockService }],
    }).compile();
    const poller = module.get(Poller);
    poller.when = when;
    await poller.poll();
    await poller.finished.opened;
    expect(poller.runs).toBe(RUNS);
    // Collects all garbage before it counts; the last run is still referenced.
    expect(queryObjects(Hold, { format: 'count' })).toBeLessThan(10);
    expect(poller.found).toBe(found);
    await module.close();
  },
);

import { AsyncResource } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect, test } from 'vitest';
import { LockService, Locked } from '../../lib/index.js';
import { FakeLockService } from '../../lib/testing/index.js';
import { Latch } from '../fixtures/latch.js';

const RUNS = 500;

setFlagsFromString('--expose-gc');
/** Takes a tenth of the time of `queryObjects`, which also drops the compiled code of the specs that share the worker. */
const collectGarbage = runInNewContext('gc') as () => void;

type When = 'in a later turn' | 'before its own release';

@Injectable()
class Poller {
  runs = 0;
  readonly holds: WeakRef<object>[] = [];
  /** Whether the code that schedules the second run still finds the ended hold of its run. */
  found: boolean | undefined;
  when: When = 'in a later turn';
  /** Keeps the async context of the last run, and so what that one retains. */
  lastRun: AsyncResource | undefined;
  readonly finished = new Latch();

  @Locked('poll')
  async poll(): Promise<void> {
    this.runs += 1;
    this.holds.push(new WeakRef(LockService.currentOrThrow()));
    if (this.runs === RUNS) {
      this.lastRun = new AsyncResource('last run');
      return this.finished.open();
    }
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
    // A WeakRef keeps its object until the end of the turn.
    await nextTurn();
    collectGarbage();
    const retained = poller.holds.filter((hold) => hold.deref() !== undefined);
    expect(retained.length).toBeLessThan(10);
    expect(retained).toContain(poller.holds.at(-1));
    expect(poller.found).toBe(found);
    await module.close();
  },
);

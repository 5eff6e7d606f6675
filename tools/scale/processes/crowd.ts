import { Logger } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLockService, type HeldLock } from 'nestjs-locked';
import { filter, firstValueFrom } from 'rxjs';
import { serveCommands } from '../process/commands.js';
import { Contention } from '../process/contention.js';
import type { CrowdCommands, CrowdSettings } from '../process/crowd-commands.js';
import { EventTally } from '../process/event-tally.js';
import { Prober } from '../process/prober.js';

/** One collection is not enough for objects with finalizers or weak references. */
const COLLECTIONS = 5;

// The reports contain all results.
Logger.overrideLogger(false);
const { options } = JSON.parse(process.argv[2]!) as CrowdSettings;
const locks = await createLockService(options);
const tally = new EventTally(locks);
const contentions = new Map<string, Contention>();
const kept = new Map<string, HeldLock>();
let prober: Prober | undefined;

const commands: CrowdCommands = {
  contend: (id, plan) => void contentions.set(id, new Contention(locks, plan)),
  placed: async (id, count) => void (await contentions.get(id)!.placed(count)),
  settled: (id, limit) => contentions.get(id)!.settled(limit),
  contention: (id) => contentions.get(id)!.report(),
  releaseAll: (id, parallel) => contentions.get(id)!.releaseAll(parallel),
  keep: async (name) => void kept.set(name, await locks.lock(name)),
  dropped: () => [...kept].filter(([, held]) => !held.isHeld()).map(([name]) => name),
  probe: (everyMs) => {
    prober = new Prober(locks, everyMs);
  },
  endProbe: (limit) => prober!.end(limit),
  connected: async () =>
    void (await firstValueFrom(locks.state$.pipe(filter((state) => state === 'connected')))),
  events: () => tally.report(),
  heap: async () => {
    for (let i = 0; i < COLLECTIONS; i += 1) {
      globalThis.gc!();
      await nextTurn();
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  close: async () => {
    await locks.beforeApplicationShutdown();
    await locks.close();
  },
};
serveCommands<CrowdCommands>(commands);

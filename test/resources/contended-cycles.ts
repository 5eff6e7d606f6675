import { createLockService, type LockModuleOptions } from 'nestjs-locked';
import type { Work } from './work.interface.js';

const RESOURCES = 8;
/** The number in each of the two sessions. */
const WANTED_BY = 4;

/** Two sessions in which eight loops contend for each resource, all with one signal of the user and with all timers. */
export async function contendedCycles(options: LockModuleOptions): Promise<Work> {
  const services = await Promise.all([createLockService(options), createLockService(options)]);
  const { signal } = new AbortController();
  const counts = { cycles: 0, waits: 0, largestQueue: 0 };
  for (const { events$ } of services) {
    events$.subscribe((event) => {
      if (event.type !== 'waiting') return;
      counts.waits += 1;
      counts.largestQueue = Math.max(counts.largestQueue, 1 + event.ahead);
    });
  }
  const loops = services.flatMap((locks) =>
    Array.from({ length: RESOURCES * WANTED_BY }, (_, i) => ({ locks, resource: `order:${i % RESOURCES}` })),
  );
  return {
    counts,
    signals: [signal],
    run: async (cycles) => {
      let left = cycles;
      await Promise.all(
        loops.map(async ({ locks, resource }) => {
          while (left > 0) {
            left -= 1;
            await locks.withLock(resource, { signal, wait: 600_000, ttl: 600_000 }, (held) => {
              held.signal.throwIfAborted();
              counts.cycles += 1;
            });
          }
        }),
      );
    },
    close: async () => {
      await Promise.all(services.map((locks) => locks.close()));
    },
  };
}

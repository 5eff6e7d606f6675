import { createLockService, type LockModuleOptions } from 'nestjs-locked';
import { filter, firstValueFrom } from 'rxjs';
import type { Work } from './work.interface.js';

const RESOURCE = 'order';

/** A hold, and a waiter behind it, whose connection ends repeatedly while their session continues. */
export async function reconnects(options: LockModuleOptions, cut: () => void): Promise<Work> {
  // Holder and waiter have a node each.
  const locks = await createLockService({ ...options, localQueue: false });
  const { session } = await firstValueFrom(locks.ready$);
  const { signal } = new AbortController();
  const held = await locks.lock(RESOURCE, { signal });
  const queued = firstValueFrom(locks.events$.pipe(filter(({ type }) => type === 'waiting')));
  const waiter = locks.lock(RESOURCE, { signal });
  // A connection that ends before the create is answered is another case.
  await queued;
  const counts = { reconnects: 0, grantsOfTheWaiter: 0 };

  const reconnect = async (): Promise<void> => {
    const attached = firstValueFrom(
      locks.events$.pipe(filter(({ type }) => type === 'resumed' || type === 'sessionExpired')),
    );
    cut();
    const event = await attached;
    if (event.type !== 'resumed' || event.session !== session) throw new Error(`${session} has ended`);
    // Answered after the first heartbeat: the new connection has renewed the session, and may end.
    const { waiters } = await locks.inspect(RESOURCE);
    if (waiters.length !== 1) throw new Error(`${waiters.length} waiters instead of one`);
    held.assertHeld();
    counts.reconnects += 1;
  };
  return {
    counts,
    signals: [signal],
    run: async (cycles) => {
      for (let i = 0; i < cycles; i += 1) await reconnect();
    },
    close: async () => {
      held.assertHeld();
      await held.release();
      await (await waiter).release();
      counts.grantsOfTheWaiter += 1;
      await locks.close();
    },
  };
}

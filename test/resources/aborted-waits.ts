import { getEventListeners } from 'node:events';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { createLockService, type LockModuleOptions, type LockService } from 'nestjs-locked';
import { eventually } from '../support/eventually.js';
import type { Work } from './work.interface.js';

/** Waits that are aborted together: half of them in the queue, half before their create is answered. */
const BATCH = 100;
const RESOURCE = 'order';

/** Waits for a lock that another session holds, aborted by their callers in the queue or before the create is answered. */
export async function abortedWaits(options: LockModuleOptions): Promise<Work> {
  const ownNodes = { ...options, localQueue: false };
  const [holder, locks] = await Promise.all([createLockService(ownNodes), createLockService(ownNodes)]);
  const held = await holder.lock(RESOURCE);
  const counts = { queued: 0, abortedInQueue: 0, abortedOnTheWay: 0, listeners: 0 };
  locks.events$.subscribe(({ type }) => {
    if (type === 'waiting') counts.queued += 1;
  });
  const batch = async (): Promise<void> => {
    const { queued } = counts;
    // A shared signal and a signal per wait: both are ordinary use.
    const shared = new AbortController();
    const inQueue = controllers(BATCH / 2, (i) => (i % 2 === 0 ? shared : new AbortController()));
    const inQueueEnds = inQueue.map(({ signal }) => endOf(locks, signal));
    await eventually(() => counts.queued === queued + inQueue.length, { intervalMs: 1 });

    // This turn of the event loop has read a reply and reads no other: the creates are sent in it and stay unanswered.
    await locks.inspect('unused');
    const onTheWay = controllers(BATCH / 2, () => new AbortController());
    const onTheWayEnds = onTheWay.map(({ signal }) => endOf(locks, signal));
    await endOfTurn();
    for (const controller of [...inQueue, ...onTheWay]) controller.abort('enough');

    counts.abortedInQueue += (await Promise.all(inQueueEnds)).filter((end) => end === 'enough').length;
    counts.abortedOnTheWay += (await Promise.all(onTheWayEnds)).filter((end) => end === 'enough').length;
    for (const { signal } of [...inQueue, ...onTheWay])
      counts.listeners += getEventListeners(signal, 'abort').length;
    await eventually(async () => (await locks.inspect(RESOURCE)).waiters.length === 0, { intervalMs: 1 });
  };
  return {
    counts,
    signals: [],
    run: async (cycles) => {
      for (let done = 0; done < cycles; done += BATCH) await batch();
    },
    close: async () => {
      await held.release();
      await Promise.all([holder, locks].map((service) => service.close()));
    },
  };
}

function controllers(count: number, create: (index: number) => AbortController): AbortController[] {
  return Array.from({ length: count }, (_, i) => create(i));
}

/** How a wait ends; no wait should be granted. */
async function endOf(locks: LockService, signal: AbortSignal): Promise<unknown> {
  try {
    await locks.lock(RESOURCE, { signal, wait: 600_000 });
    return 'granted';
  } catch (reason) {
    return reason;
  }
}

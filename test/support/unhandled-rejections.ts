import { setImmediate as nextTurn } from 'node:timers/promises';

/** The rejections that nobody handles, while `act` runs and immediately after it. They do not fail the run. */
export async function unhandledRejections(act: () => void | Promise<void>): Promise<unknown[]> {
  const others = process.listeners('unhandledRejection');
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => unhandled.push(reason);
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', listener);
  try {
    await act();
    // Node reports them when the microtasks of this turn have run.
    await nextTurn();
    return unhandled;
  } finally {
    process.off('unhandledRejection', listener);
    for (const other of others) process.on('unhandledRejection', other);
  }
}

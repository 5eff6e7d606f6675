import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** By their async ids. */
type Timers = Map<number, NodeJS.Timeout>;

const started = new AsyncLocalStorage<Timers>();

/**
 * Runs `test` with a function that counts the timers which it has started and which keep the process alive. Timers of other specs
 * and of Vitest, which come and go, do not count. Node tells of a timer that is cleared some turns later.
 */
export async function countingTimers(test: (alive: () => number) => Promise<void>): Promise<void> {
  const timers: Timers = new Map();
  const hook = createHook({
    init: (id, type, _trigger, resource) => {
      if (type === 'Timeout') started.getStore()?.set(id, resource as NodeJS.Timeout);
    },
    destroy: (id) => void timers.delete(id),
  }).enable();
  try {
    await started.run(timers, () => test(() => [...timers.values()].filter((one) => one.hasRef()).length));
  } finally {
    hook.disable();
  }
}

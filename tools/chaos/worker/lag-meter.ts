import type { WorkerJournal } from './worker-journal.js';

const INTERVAL_MS = 50;
const LEAST_MS = 100;

/** Records every stall of the event loop: the checker adds them to the bounds of the process. */
export function measureLag(journal: WorkerJournal): NodeJS.Timeout {
  let last = performance.now();
  const measure = (): void => {
    const now = performance.now();
    const late = now - last - INTERVAL_MS;
    last = now;
    if (late > LEAST_MS) journal.write({ what: 'lagged', ms: Math.round(late) });
  };
  return setInterval(measure, INTERVAL_MS).unref();
}

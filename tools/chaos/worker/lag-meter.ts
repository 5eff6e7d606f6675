import type { WorkerJournal } from './worker-journal.js';

const INTERVAL_MS = 50;
const LEAST_MS = 100;

/** Notes every standstill of the event loop, whatever caused it: nobody can be late for what happened during it. */
export function measureLag(journal: WorkerJournal): NodeJS.Timeout {
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    const late = now - last - INTERVAL_MS;
    last = now;
    if (late > LEAST_MS) journal.write({ what: 'lagged', ms: Math.round(late) });
  };
  return setInterval(look, INTERVAL_MS).unref();
}

/** Stands still. */
export function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

import type { Run } from './cron-replicas.js';

/** What is wrong with the runs of a job, as sentences. */
export function violations(runs: readonly Run[], intervalMs: number): string[] {
  const found: string[] = [];
  const completed = runs.filter(({ ended }) => ended !== undefined);
  const times = completed.map(({ tick }) => tick);
  for (const [index, tick] of times.entries()) {
    const before = times[index - 1];
    if (before === undefined) continue;
    if (tick <= before) found.push(`${iso(tick)} was completed after ${iso(before)}`);
    if (tick > before + intervalMs) found.push(`no run between ${iso(before)} and ${iso(tick)}`);
    if (completed[index]!.previous !== before) found.push(`${iso(tick)} did not follow ${iso(before)}`);
  }
  for (const [index, run] of runs.entries()) {
    const next = runs[index + 1];
    if (next === undefined) continue;
    // A killed process runs until it is killed, which is before its lock is free.
    if (run.ended !== undefined && next.began < run.ended)
      found.push(`${iso(next.tick)} began before ${iso(run.tick)} ended`);
    if (BigInt(next.token) <= BigInt(run.token)) found.push(`${iso(next.tick)} has an older token`);
    if (run.ended === undefined && next.tick !== run.tick)
      found.push(`${iso(run.tick)} was not run again, but ${iso(next.tick)}`);
  }
  return found;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

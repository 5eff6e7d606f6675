import type { Transaction } from '../../../lib/testing/transactions/transaction.js';
import type { Change } from '../../../lib/testing/tree/change.js';
import { holderPath, parentOf } from '../../../lib/zookeeper/recipe/lock-path.js';
import { callOf, processOf } from '../../history/names.js';
import { dataOf, pathOf } from '../run/direct-access.js';
import type { QueueChange } from '../scenario/fault.js';
import { attemptOfRecord } from './contender-faults.js';
import { partition } from './partitions.js';
import type { Hit, Stage, Strike, Strikes } from './strike.js';

interface Awaited {
  readonly resource: string;
  readonly change: QueueChange;
}

/** What strikes a process when the servers have made a change that it has asked for, and before it hears of that. */
export const UNHEARD_CHANGES: Strikes<'abortUnheard' | 'loseAnswer'> = {
  // Callers may give up at any time: nobody is disturbed by that.
  abortUnheard: (awaited, stage) =>
    once(awaited, stage, 'process', (attempt, at) => {
      const isOpen = stage.processes.get(processOf(attempt))?.abort(callOf(attempt) ?? attempt);
      return isOpen === true ? { targets: [], from: at, to: at } : undefined;
    }),
  loseAnswer: ({ away, ...awaited }, stage) =>
    once(awaited, stage, 'network', (attempt, at) => {
      const host = processOf(attempt);
      const { network, ensembles, scheduler } = stage.world;
      for (const server of ensembles.names) network.sever(host, server);
      if (away > 0) {
        const { undo } = partition([host], stage);
        scheduler.schedule(at + away, () => undo?.());
      }
      return { targets: [host], from: at, to: at + away };
    }),
};

/** @param strike gets the attempt that has asked for the change; undefined if it is too late to strike it */
function once(
  awaited: Awaited,
  stage: Stage,
  on: Strike['on'],
  strike: (attempt: string, at: number) => Hit | undefined,
): Strike {
  const { scheduler, ensembles } = stage.world;
  let hit: Hit | undefined;
  const stops = ensembles.all.map((ensemble) =>
    ensemble.observe((transaction) => {
      const attempt = authorOf(transaction, awaited, stage);
      if (attempt === undefined) return;
      stop();
      // The servers go on first; no answer arrives in no time.
      scheduler.schedule(scheduler.now, () => (hit = strike(attempt, scheduler.now)));
    }),
  );
  const stop = (): void => stops.forEach((one) => one());
  return { on, targets: [], hit: () => hit, undo: stop };
}

/** The attempt whose record is in the node that has been changed. */
function authorOf(
  { effect }: Transaction,
  { resource, change: kind }: Awaited,
  { access }: Stage,
): string | undefined {
  if (effect.kind !== 'changes') return undefined;
  const lockPath = pathOf(resource);
  for (const { change } of effect.changes) {
    if (change.kind !== kind || !isIn(lockPath, change.path)) continue;
    const attempt = attemptOfRecord(recordOf(change), resource);
    if (attempt !== undefined) return attempt;
  }
  return undefined;

  function recordOf(change: Extract<Change, { kind: QueueChange }>): string {
    if (change.kind !== 'delete') return change.data?.toString('utf8') ?? '';
    // The sign of a holder has no data: the record is in the node of its closed lock.
    const parent = parentOf(change.path)!;
    const path = change.path === holderPath(parent) ? parent : change.path;
    return dataOf(path, access.leaderWith(path));
  }
}

/** Of a lock without a queue, it is the node itself. */
function isIn(lockPath: string, path: string): boolean {
  return path === lockPath || path.startsWith(`${lockPath}/`);
}

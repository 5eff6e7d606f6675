import type { Transaction } from '../../../lib/testing/transactions/transaction.js';
import type { Change } from '../../../lib/testing/tree/change.js';
import { holderPath, parentOf } from '../../../lib/zookeeper/recipe/lock-path.js';
import { callOf, processOf } from '../../history/names.js';
import { dataOf, pathOf } from '../run/direct-access.js';
import type { QueueChange } from '../scenario/fault.js';
import { attemptOfRecord } from './contender-faults.js';
import { pause } from './host-faults.js';
import { keepAway, sendAway } from './partitions.js';
import type { Hit, Stage, Strike, Strikes } from './strike.js';

type NodeChange = Extract<Change, { kind: 'create' | 'setData' | 'delete' }>;

interface Awaited {
  readonly resource: string;
  readonly change: QueueChange;
}

/** What strikes a process when the servers have made a change that it has asked for, and before it hears of that. */
export const UNHEARD_CHANGES: Strikes<'abortUnheard' | 'loseAnswer' | 'pauseUnheard'> = {
  // Callers may give up at any time: nobody is disturbed by that.
  abortUnheard: (awaited, stage) =>
    once(awaited, stage, 'process', (attempt, at) => {
      const isOpen = stage.processes.get(processOf(attempt))?.abort(callOf(attempt) ?? attempt);
      return isOpen === true ? { targets: [], from: at, to: at } : undefined;
    }),
  loseAnswer: ({ away, ...awaited }, stage) =>
    once(awaited, stage, 'network', (attempt, at) => {
      const host = processOf(attempt);
      sendAway(host, away, stage);
      return { targets: [host], from: at, to: at + away };
    }),
  pauseUnheard: ({ stopped, away, ...awaited }, stage) =>
    once(awaited, stage, 'process', (attempt, at) => {
      const host = processOf(attempt);
      const pausing = pause(host, stage);
      if (pausing === undefined) return undefined;
      const resumes = at + stopped;
      stage.world.scheduler.schedule(resumes, () => {
        // What has arrived by then is still read.
        if (away > 0) keepAway(host, away, stage);
        pausing.undo?.();
      });
      return { targets: [host], from: at, to: resumes + away };
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
function authorOf({ effect }: Transaction, awaited: Awaited, { access }: Stage): string | undefined {
  if (effect.kind !== 'changes') return undefined;
  const lockPath = pathOf(awaited.resource);
  const changes = effect.changes.flatMap(({ change }) => (isOfQueue(change, lockPath) ? [change] : []));
  const deleted = changes.filter(({ kind }) => kind === 'delete').map(({ path }) => path);
  const wanted = changes.filter((change) => kindOf(change, deleted) === awaited.change);
  return wanted.map((change) => attemptOfRecord(recordOf(change), awaited.resource)).find(Boolean);

  function recordOf(change: NodeChange): string {
    if (change.kind !== 'delete') return change.data?.toString('utf8') ?? '';
    // The sign of a holder has no data.
    const path = closedOf(change.path) ?? change.path;
    return dataOf(path, access.leaderWith(path));
  }
}

function kindOf({ kind, path }: NodeChange, deleted: readonly string[]): QueueChange | undefined {
  if (kind === 'create') return 'join';
  if (kind === 'setData') return 'takeOver';
  const closed = closedOf(path);
  if (closed === undefined) return 'leave';
  return deleted.includes(closed) ? undefined : 'giveUp';
}

/** The closed lock whose holder the node is the sign of. */
function closedOf(path: string): string | undefined {
  const parent = parentOf(path);
  return parent !== undefined && path === holderPath(parent) ? parent : undefined;
}

/** Without a queue, the lock path is the node of the lock. */
function isOfQueue(change: Change, lockPath: string): change is NodeChange {
  if (change.kind === 'check' || change.kind === 'setAcl') return false;
  return change.path === lockPath || change.path.startsWith(`${lockPath}/`);
}

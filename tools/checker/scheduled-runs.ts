import { groupBy } from '../history/group-by.js';
import { moment } from '../history/moments.js';
import { processOf } from '../history/names.js';
import type { ProcessEvent, ProcessEventOf } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';
import { Health, longestSession } from './health.js';
import { mayBePreempted } from './preemptions.js';
import { haveSameTurn } from './turns.js';
import type { Violation } from './violation.js';

type RunEvent = ProcessEventOf<'runBegan' | 'runWorked' | 'runCompleted' | 'runFailed'>;

/** One run of the scheduled job. */
interface Run {
  readonly began: ProcessEventOf<'runBegan'>;
  readonly worked: ProcessEventOf<'runWorked'> | undefined;
  /** Certainly completed. */
  readonly isCompleted: boolean;
}

/** What runs have written about the scheduled times, as far as the history tells. */
interface Note {
  readonly completed: number | undefined;
  /** Later runs that may have been completed. */
  readonly possible: readonly number[];
}

/** J1, if the servers keep their data; and L1, which they may lose. */
export function* scheduledRuns(history: RunHistory): Generator<Violation> {
  const runs = runsOf(history);
  if (!history.faults.some(({ kind, struck }) => kind === 'dataLoss' && struck)) yield* order(runs, history);
  if (stopped(runs, history)) {
    const sentence = 'no run of the job was completed after the faults were over';
    yield { invariant: 'L1', sentence, at: history.run.endedAt, attempts: [], processes: [] };
  }
}

function* order(runs: readonly Run[], history: RunHistory): Generator<Violation> {
  let note: Note = { completed: undefined, possible: [] };
  for (const [index, run] of runs.entries()) {
    for (const what of wrongWith(run, runs.slice(0, index), note, history))
      yield violation(run, what, history);
    note = noteAfter(run, note);
  }
}

/** In the order of their tokens. */
function runsOf(history: RunHistory): Run[] {
  const health = new Health(history);
  const longest = longestSession(history);
  return [...groupBy(history.events.filter(isOfRun), ({ actor, token }) => `${actor} ${token}`).values()]
    .map((ofRun) => {
      const began = ofRun.find((event) => event.what === 'runBegan')!;
      const worked = ofRun.find((event) => event.what === 'runWorked');
      const failed = ofRun.find((event) => event.what === 'runFailed');
      // The caller gets the error of the work, and is not told whether the run was completed.
      const isCompletedByFailure =
        failed !== undefined &&
        worked?.held === true &&
        !wasDeleted(began, failed.at, history) &&
        health.ofServers(worked.at - longest, failed.at) &&
        health.ofProcess(processOf(began.actor), worked.at - longest, failed.at);
      const isCompleted = isCompletedByFailure || ofRun.some(({ what }) => what === 'runCompleted');
      return { began, worked, isCompleted };
    })
    .toSorted(({ began: a }, { began: b }) => (a.token < b.token ? -1 : 1));
}

function isOfRun(event: ProcessEvent): event is RunEvent {
  return (
    event.what === 'runBegan' ||
    event.what === 'runWorked' ||
    event.what === 'runCompleted' ||
    event.what === 'runFailed'
  );
}

function* wrongWith(
  { began, worked, isCompleted }: Run,
  earlier: readonly Run[],
  note: Note,
  history: RunHistory,
): Generator<string> {
  const { scheduledAt, previous, token } = began;
  const { completed } = note;
  if (completed !== undefined && scheduledAt <= completed)
    yield `began although ${iso(completed)} was complete`;
  if (previous !== completed && !mayBePrevious(began, note))
    yield `was told that ${iso(previous)} was the last one, which is ${iso(completed)}`;
  if (isCompleted && worked?.held === false) yield 'was completed although its lock was lost';
  for (const other of earlier) {
    if (other.began.token === token) yield 'has the token of another run';
    if (other.began.at > began.at && !mayBeginLate(other.began, began, history))
      yield `began before ${iso(other.began.scheduledAt)}, which has a smaller token`;
    const overlap = overlapOf(other, began, history);
    if (overlap !== undefined) yield `began while ${iso(other.began.scheduledAt)} ran, which ${overlap}`;
  }
}

/** Its process could not hear that its contender was deleted, or stood still after its last look at the clock. */
function mayBeginLate(
  late: ProcessEventOf<'runBegan'>,
  next: ProcessEventOf<'runBegan'>,
  history: RunHistory,
): boolean {
  const { actor, at } = late;
  return wasDeleted(late, next.at, history) || mayBePreempted({ actor, at: next.at }, at, history);
}

/** What shows that a run had the lock when the next one began, if it did. */
function overlapOf(
  run: Run,
  next: ProcessEventOf<'runBegan'>,
  history: RunHistory,
): 'was completed' | 'had the lock until its end' | undefined {
  const { began, worked, isCompleted } = run;
  if (worked === undefined || worked.at <= next.at) return undefined;
  if (isCompleted) return hadLeft(run, next, history) ? undefined : 'was completed';
  return worked.held && !wasDeleted(began, next.at, history) ? 'had the lock until its end' : undefined;
}

/**
 * Whether an operator had deleted the contender of a run when the next one began. It can be completed nevertheless if it was when
 * it began: with `skip`. Others would have to write their note then, which the servers refuse.
 */
function hadLeft({ began }: Run, next: ProcessEventOf<'runBegan'>, history: RunHistory): boolean {
  return began.interrupted === 'skip' && wasDeleted(began, next.at, history);
}

function wasDeleted({ token }: ProcessEventOf<'runBegan'>, by: bigint, { faults }: RunHistory): boolean {
  return faults.some(
    (fault) =>
      fault.kind === 'contenderDeletion' &&
      fault.struck &&
      fault.token !== undefined &&
      haveSameTurn(fault.token, token) &&
      fault.from <= by,
  );
}

/** With `skip`, a time may be complete for which no run has begun, because the lock was lost just then. */
function mayBePrevious(
  { previous, interrupted }: ProcessEventOf<'runBegan'>,
  { completed, possible }: Note,
): boolean {
  if (previous === undefined) return false;
  return possible.includes(previous) || (interrupted === 'skip' && previous > (completed ?? 0));
}

/** With `skip`, a run is complete when it begins; otherwise one that fails when its lock is lost is not complete. */
function noteAfter({ began, worked, isCompleted }: Run, { completed, possible }: Note): Note {
  const { scheduledAt, interrupted } = began;
  if (isCompleted || interrupted === 'skip') return { completed: scheduledAt, possible: [] };
  if (worked?.fails === true && !worked.held) return { completed, possible };
  return { completed, possible: [...possible, scheduledAt] };
}

function stopped(runs: readonly Run[], { run, incarnations }: RunHistory): boolean {
  if (!run.awaitsJob) return false;
  const runsToTheEnd = incarnations.some(({ end, foreign }) => end === 'closed' && foreign !== true);
  if (!runsToTheEnd) return false;
  return !runs.some(({ worked, isCompleted }) => isCompleted && worked!.at > run.quietFrom);
}

function violation({ began }: Run, what: string, history: RunHistory): Violation {
  const sentence = `the run of ${began.actor} for ${iso(began.scheduledAt)}, at ${moment(began.at, history)}, ${what}`;
  return { invariant: 'J1', sentence, at: began.at, attempts: [], processes: [processOf(began.actor)] };
}

function iso(time: number | undefined): string {
  return time === undefined ? 'none' : new Date(time).toISOString();
}

import type { Attempt } from '../checker/attempt.js';
import type { Violation } from '../checker/violation.js';
import type { RunHistory } from '../history/run-history.js';
import { byTime, moment, nanoseconds } from '../history/moments.js';
import { processOf } from '../history/names.js';
import type { ProcessEvent } from '../history/process-event.js';
import { describeEvent } from './describe-event.js';

interface Line {
  readonly at: bigint;
  readonly who: string;
  readonly what: string;
}

const BEFORE = nanoseconds(15_000);
const AFTER = nanoseconds(2_000);
const JUST_BEFORE = nanoseconds(1_000);
const CHANGES_OF_HOLDER = new Set<ProcessEvent['what']>(['granted', 'signalled', 'releasing', 'released']);
const MOST_LINES_BEFORE = 60;
const MOST_LINES_AFTER = 20;

/** The events and faults around a violation that explain it, in time order. */
export function failureTrace(
  violation: Violation,
  attempts: readonly Attempt[],
  history: RunHistory,
): string[] {
  const actors = attempts.filter(({ name }) => violation.attempts.includes(name));
  const asked = actors.map(({ asked }) => asked.at).sort((a, b) => (a < b ? -1 : 1));
  const earliest = violation.at - BEFORE;
  const from = asked[0] !== undefined && asked[0] > earliest ? asked[0] : earliest;
  const to = violation.at + AFTER;
  const lines = [
    ...actors.flatMap(({ events }) => essential(events).map(lineOf)),
    ...bystanders(violation, attempts).map(lineOf),
    ...incarnationEvents(violation, history).map(lineOf),
    ...writes(violation, history),
    ...faults(violation, history, from, to),
    ...history.serverEvents.map(({ at, server, mode }) => ({
      at,
      who: server,
      what: `is ${mode}`,
    })),
  ].filter(({ at }) => at >= from && at <= to);
  const inOrder = lines.sort(byTime);
  const before = inOrder.filter(({ at }) => at <= violation.at).slice(-MOST_LINES_BEFORE);
  const after = inOrder.filter(({ at }) => at > violation.at).slice(0, MOST_LINES_AFTER);
  return [
    ...before.map((line) => print(line, history)),
    `>>>>>>>>>>>> ${violation.invariant}: ${violation.sentence}`,
    ...after.map((line) => print(line, history)),
  ];
}

/** Drops checks of a hold, except the last that found it valid and the first that did not. */
function essential(events: readonly ProcessEvent[]): ProcessEvent[] {
  const checks = events.filter(({ what }) => what === 'checked');
  const valid = checks.findLast((event) => 'held' in event && event.held);
  const lost = checks.find((event) => 'held' in event && !event.held);
  return events.filter((event) => event.what !== 'checked' || event === valid || event === lost);
}

/** Grants and releases of the same resource by other attempts just before the violation. */
function bystanders({ at, attempts: actors }: Violation, attempts: readonly Attempt[]): ProcessEvent[] {
  const resources = attempts.filter(({ name }) => actors.includes(name)).map(({ resource }) => resource);
  return attempts
    .filter(({ name, resource }) => !actors.includes(name) && resources.includes(resource))
    .flatMap(({ events }) => events)
    .filter((event) => CHANGES_OF_HOLDER.has(event.what) && event.at >= at - JUST_BEFORE && event.at <= at);
}

function incarnationEvents({ processes }: Violation, { events }: RunHistory): ProcessEvent[] {
  return events.filter((event) => !('attempt' in event) && processes.includes(processOf(event.actor)));
}

function lineOf(event: ProcessEvent): Line {
  return { at: event.at, who: 'attempt' in event ? event.attempt : event.actor, what: describeEvent(event) };
}

function writes({ attempts }: Violation, { writes }: RunHistory): Line[] {
  return writes
    .filter(({ attempt }) => attempts.includes(attempt))
    .map(({ at, attempt, resource, moment, accepted }) => ({
      at,
      who: 'guard',
      what: `${accepted ? 'accepts' : 'rejects'} the write '${moment}' of ${attempt} to '${resource}'`,
    }));
}

/** The faults of the processes concerned and of all servers. A fault that began earlier appears at the start of the trace. */
function faults(
  { processes }: Violation,
  { faults, incarnations }: RunHistory,
  from: bigint,
  to: bigint,
): Line[] {
  const concerned = (name: string): boolean => name.startsWith('s') || processes.includes(name);
  const ofFaults = faults
    .filter((fault) => fault.struck && fault.from <= to && fault.to >= from && fault.targets.some(concerned))
    .flatMap((fault): Line[] => {
      const what = `FAULT ${fault.kind} ${fault.detail}`.trimEnd();
      const who = fault.targets.join(' ');
      const begins = { at: fault.from < from ? from : fault.from, who, what };
      return fault.to === fault.from
        ? [begins]
        : [begins, { at: fault.to, who, what: `end of ${fault.kind}` }];
    });
  const ends = incarnations
    .filter(({ process }) => concerned(`p${process}`))
    .map(({ actor, to: at, end }) => ({ at, who: actor, what: `is ${end}` }));
  return [...ofFaults, ...ends];
}

function print({ at, who, what }: Line, history: RunHistory): string {
  return `${moment(at, history).padStart(12)}  ${who.padEnd(10)} ${what}`;
}

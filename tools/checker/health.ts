import type { FaultRecord } from '../history/fault-record.js';
import type { Precision } from '../history/precision.js';
import type { Incarnation, RunHistory } from '../history/run-history.js';
import { groupBy } from '../history/group-by.js';
import { nanoseconds } from '../history/moments.js';
import { processOf } from '../history/names.js';
import type { ProcessEvent, ProcessEventOf } from '../history/process-event.js';
import type { Interval } from './intervals.js';

/** The kinds of faults that end a process, in simulations and in chaos. */
const KILLS: ReadonlySet<string> = new Set(['kill', 'killHolder', 'holderKill']);

interface SessionOwner {
  readonly process: string;
  readonly incarnation?: Incarnation | undefined;
}

/** Which servers and processes were undisturbed at which time: time bounds apply only to these. */
export class Health {
  /** When each process stood still or had no connection. */
  readonly #troubles: ReadonlyMap<string, readonly Interval[]>;

  constructor(private readonly history: RunHistory) {
    const events = history.events.filter(isOfProcess);
    this.#troubles = new Map(
      [...groupBy(events, ({ actor }) => processOf(actor))].map(
        ([process, own]) => [process, [...troubles(own, history)]] as const,
      ),
    );
  }

  /** True if no fault struck a server, all servers answered, and no role changed. */
  ofServers(from: bigint, to: bigint): boolean {
    const { faults, serverEvents } = this.history;
    const modes = new Map<string, string>();
    for (const { server, mode } of serverEvents.filter(({ at }) => at < from)) modes.set(server, mode);
    const silent = [...modes.values()].includes('silent');
    const changed = serverEvents.some(({ at }) => at >= from && at <= to);
    return !silent && !changed && !faults.some((fault) => isOfServers(fault) && struck(fault, from, to));
  }

  /** True if the servers and all processes were undisturbed, but for a kill. */
  ofAll(from: bigint, to: bigint, killed?: { readonly process: string; readonly at: bigint }): boolean {
    const processes = new Set(this.history.incarnations.map(({ process }) => `p${process}`));
    return (
      this.ofServers(from, to) &&
      [...processes].every((process) =>
        this.ofProcess(process, from, to, process === killed?.process ? killed.at : undefined),
      )
    );
  }

  /** True if no fault other than its kill at `killedAt` struck the process, and it neither lost its connection nor stalled. */
  ofProcess(process: string, from: bigint, to: bigint, killedAt?: bigint): boolean {
    const { faults, run } = this.history;
    const troubles = this.#troubles.get(process) ?? [];
    // If its network is disturbed when it is killed, what it has sent may arrive long after.
    const isItsKill = (fault: FaultRecord): boolean =>
      killedAt !== undefined && KILLS.has(fault.kind) && covers(fault, killedAt, run.precision);
    const faulty = faults.some(
      (fault) => fault.targets.includes(process) && struck(fault, from, to) && !isItsKill(fault),
    );
    return !faulty && !troubles.some((trouble) => trouble.to >= from && trouble.from <= to);
  }

  /** True if nothing was disturbed for so long that a session of the process can have ended, and the process know that at `at`. */
  ofSession({ process, incarnation }: SessionOwner, at: bigint): boolean {
    const { run } = this.history;
    const since = at - nanoseconds(sessionMs(incarnation, run) + run.precision.noise);
    return this.ofServers(since, at) && this.ofProcess(process, since, at);
  }
}

/** How long a session may keep its nodes without its process, ms. */
export function sessionMs(
  incarnation: Pick<Incarnation, 'sessionTimeout'> | undefined,
  { tickTime }: Pick<RunHistory['run'], 'tickTime'>,
): number {
  return (incarnation?.sessionTimeout ?? 0) + 2 * tickTime;
}

/** How long the session of a process that is gone may keep a node, in ns. Clients of other libraries end theirs. */
export function longestSession({ run, incarnations }: Pick<RunHistory, 'run' | 'incarnations'>): bigint {
  const ours = incarnations.filter(({ foreign }) => foreign !== true);
  const timeout = Math.max(0, ...ours.map(({ sessionTimeout }) => sessionTimeout));
  return nanoseconds(timeout + 2 * run.tickTime);
}

function isOfProcess(event: ProcessEvent): event is ProcessEventOf<'connection' | 'lagged'> {
  return event.what === 'connection' || event.what === 'lagged';
}

function* troubles(
  events: readonly ProcessEventOf<'connection' | 'lagged'>[],
  { run, incarnations }: RunHistory,
): Generator<Interval> {
  for (const [index, event] of events.entries()) {
    const { actor, at } = event;
    if (event.what === 'lagged') {
      // A process notices a stall at its end.
      if (event.ms > run.precision.noticeableStall) yield { from: at - nanoseconds(event.ms), to: at };
    } else if (!isConnected(event)) {
      const connected = events.slice(index).find((next) => next.actor === actor && isConnected(next));
      const end = incarnations.find((one) => one.actor === actor)?.to ?? run.endedAt;
      yield { from: at, to: connected?.at ?? end };
    }
  }
}

function isConnected(event: ProcessEvent): boolean {
  return event.what === 'connection' && (event.state === 'ready' || event.state === 'resumed');
}

function covers({ from, to }: FaultRecord, at: bigint, { killRecordedWithin }: Precision): boolean {
  return from <= at + nanoseconds(killRecordedWithin) && to >= at;
}

/** A link between a process and a server concerns only the process. */
function isOfServers({ on }: FaultRecord): boolean {
  return on === 'servers' || on === 'links';
}

function struck(fault: FaultRecord, from: bigint, to: bigint): boolean {
  return fault.struck && fault.from <= to && fault.to >= from;
}

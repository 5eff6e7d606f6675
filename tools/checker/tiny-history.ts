import type { FinalState, FreedLock, RunHistory, GuardedWrite, Incarnation } from '../history/run-history.js';
import type { FaultRecord } from '../history/fault-record.js';
import { REAL_TIME, type Precision } from '../history/precision.js';
import { byTime } from '../history/moments.js';
import { actorOf, processOf } from '../history/names.js';
import type {
  NewProcessEvent,
  ProcessEvent,
  ProcessEventOf,
  RequestOutcome,
} from '../history/process-event.js';
import type { Attempt } from './attempt.js';

const RESOURCE = 'r';
const END_MS = 100_000;
const CLEAN: FinalState = { contenders: [], watches: [], lockPaths: [] };

/** The timestamp `ms` after the start. */
export function at(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6));
}

/** The events of one attempt, in a chain. Times are in ms. */
export class TinyAttempt {
  readonly events: ProcessEvent[] = [];

  constructor(readonly name: string) {}

  asked(ms: number, options: Partial<Attempt['asked']> = {}): this {
    return this.add(ms, {
      what: 'asked',
      attempt: this.name,
      resource: RESOURCE,
      verb: 'lock',
      mode: 'exclusive',
      ttl: 0,
      minHold: 0,
      ...options,
    });
  }

  emitted(ms: number, event: string, requeued?: boolean): this {
    return this.add(ms, { what: 'emitted', attempt: this.name, event, requeued });
  }

  /** The events of a hold that ends before its work: its signal aborts first. */
  lost(ms: number, detail?: string): this {
    const event = detail === undefined ? 'ttlExpired' : 'lost';
    return this.signalled(ms).add(ms, {
      what: 'emitted',
      attempt: this.name,
      event,
      ...(detail === undefined ? {} : { detail }),
    });
  }

  signalled(ms: number): this {
    return this.add(ms, { what: 'signalled', attempt: this.name, detail: '' });
  }

  granted(ms: number, token: number, held = true): this {
    return this.add(ms, { what: 'granted', attempt: this.name, token: BigInt(token), held });
  }

  checked(ms: number, held = true): this {
    return this.add(ms, { what: 'checked', attempt: this.name, held });
  }

  /** @param returnedMs when the call that extends the hold has returned */
  extended(ms: number, ttl: number, held = true, returnedMs = ms): this {
    this.add(ms, { what: 'extending', attempt: this.name, ttl, held });
    return held ? this.add(returnedMs, { what: 'extended', attempt: this.name }) : this;
  }

  /** Works until `ms`, and releases the lock immediately. */
  released(ms: number, held = true): this {
    this.add(ms, { what: 'releasing', attempt: this.name, held });
    return this.add(ms + 1, { what: 'released', attempt: this.name, outcome: held ? 'kept' : 'lost' });
  }

  add(ms: number, event: NewProcessEvent): this {
    this.events.push({ at: at(ms), actor: actorOf(this.name), ...event });
    return this;
  }
}

export function attempt(name: string): TinyAttempt {
  return new TinyAttempt(name);
}

type Connection = ProcessEventOf<'connection'>;

export function connection(actor: string, ms: number, state: Connection['state']): Connection {
  return { at: at(ms), actor, what: 'connection', state, detail: '' };
}

/**
 * The events of a request to release the lock, to change its number of permits, or, with `holders`, to inspect it.
 *
 * @param to when it has returned, ms; absent if it has not
 */
export function request(
  name: string,
  from: number,
  to?: number,
  { outcome = 'stored', permits, holders }: TinyRequest = {},
): ProcessEvent[] {
  const actor = name.slice(0, name.indexOf('?'));
  const number = permits === undefined ? {} : { permits };
  const shown = holders?.map((token) => (token === undefined ? undefined : BigInt(token)));
  const asked = {
    at: at(from),
    actor,
    what: 'requesting',
    request: name,
    resource: RESOURCE,
    ...number,
    ...(holders === undefined ? {} : { inspects: true }),
  } as const;
  if (to === undefined) return [asked];
  const seen = shown === undefined ? {} : { holders: shown };
  return [asked, { at: at(to), actor, what: 'requested', request: name, outcome, ...seen }];
}

interface TinyRequest {
  readonly outcome?: RequestOutcome;
  readonly permits?: number;
  readonly holders?: readonly (number | undefined)[];
}

export interface TinyHistory {
  readonly attempts?: readonly TinyAttempt[];
  readonly events?: readonly ProcessEvent[];
  readonly writes?: readonly GuardedWrite[];
  readonly faults?: readonly FaultRecord[];
  readonly freed?: readonly FreedLock[];
  readonly serverEvents?: RunHistory['serverEvents'];
  readonly finalState?: Partial<FinalState>;
  /** The start of the last quiet period, ms; by default the end of the run. */
  readonly quietFrom?: number;
  readonly awaitsJob?: boolean;
  /** The actors of clients of another library. */
  readonly foreign?: readonly string[];
  /** Those of them whose nodes nobody else may read. */
  readonly privateOnes?: readonly string[];
  /** @default REAL_TIME */
  readonly precision?: Precision;
  /** Of all processes; by default it is not known. */
  readonly release?: Incarnation['release'];
  /** Of all processes; by default it is not known. */
  readonly hasOneSession?: boolean;
  /** Of all processes. */
  readonly localQueue?: boolean;
  /** Of all processes. */
  readonly handOver?: number;
  /** Of all processes, ms. */
  readonly linger?: number;
  /** How incarnations ended that were not closed at the end of the run, by actor; and their session timeouts, if not 2 s. */
  readonly ends?: Readonly<
    Record<
      string,
      Pick<Incarnation, 'to' | 'end' | 'closingSince' | 'drainTimeout'> &
        Partial<Pick<Incarnation, 'sessionTimeout'>>
    >
  >;
}

/** A history with these attempts; incarnations without an entry in `ends` are closed at its end. */
export function tinyHistory(tiny: TinyHistory): RunHistory {
  const events = [...(tiny.attempts ?? []).flatMap((one) => one.events), ...(tiny.events ?? [])];
  const actors = new Set(events.map(({ actor }) => actor));
  return {
    run: {
      seed: 1,
      precision: tiny.precision ?? REAL_TIME,
      lock: 'real',
      emitsEvents: true,
      awaitsJob: tiny.awaitsJob ?? false,
      servers: 3,
      resources: [RESOURCE],
      tickTime: 500,
      startedAt: 0n,
      quietFrom: at(tiny.quietFrom ?? END_MS),
      finishAt: at(END_MS),
      endedAt: at(END_MS),
    },
    incarnations: [...actors].map((actor) => incarnationOf(actor, tiny)),
    events: events.sort(byTime),
    writes: tiny.writes ?? [],
    faults: tiny.faults ?? [],
    freed: tiny.freed ?? [],
    serverEvents: tiny.serverEvents ?? [],
    finalState: { ...CLEAN, ...tiny.finalState },
  };
}

function incarnationOf(
  actor: string,
  { ends, release, hasOneSession, localQueue, handOver, linger, foreign = [], privateOnes = [] }: TinyHistory,
): Incarnation {
  const process = Number(processOf(actor).slice(1));
  const end = ends?.[actor] ?? { to: at(END_MS), end: 'closed' };
  return {
    actor,
    process,
    foreign: foreign.includes(actor),
    isPrivate: privateOnes.includes(actor),
    sessionTimeout: 2_000,
    connectTimeout: 5_000,
    ...(release === undefined ? {} : { release }),
    ...(hasOneSession === undefined ? {} : { hasOneSession }),
    ...(localQueue === undefined ? {} : { localQueue }),
    ...(handOver === undefined ? {} : { handOver }),
    ...(linger === undefined ? {} : { linger }),
    from: 0n,
    ...end,
  };
}

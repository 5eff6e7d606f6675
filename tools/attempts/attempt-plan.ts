import type { LockFailure, LockMode } from '../../lib/index.js';
import type { Verb } from '../history/process-event.js';
import { isSimpleResource } from './simple-resources.js';

/**
 * Whose closed lock an attempt can take over: `process` is the process itself before it was started again, `application` any
 * process of the run, although two live ones should not have the same owner.
 */
export type OwnedBy = 'process' | 'application';

/** The random options of one attempt. Durations are in ms; options that are absent have their defaults. */
export interface AttemptPlan {
  /** The pause before the attempt. */
  readonly pause: number;
  readonly resource: string;
  /** Further resources, whose locks are acquired together with it. Absent: none. */
  readonly also?: readonly string[];
  readonly verb: Verb;
  /** `Infinity`: no limit. Of a candidate: it leaves if it has not led for so long. */
  readonly wait?: number;
  readonly ttl?: number;
  readonly minHold?: number;
  /** Absent: unlimited. */
  readonly maxWaiters?: number;
  /** There is no caller here, so that neither may have an effect. */
  readonly whenCallerLeaves?: 'leave' | 'stay';
  /** The code around an attempt holds no lock, so that it may not have an effect. */
  readonly reentrant?: boolean;
  /** The option that holds the name of the attempt, which events contain. */
  readonly namedBy: 'owner' | 'purpose' | 'both';
  readonly mode?: LockMode;
  /** With `semaphore`. The same for all attempts on the resource. */
  readonly permits?: number;
  /** The same for all attempts on the resource. */
  readonly fair?: boolean;
  readonly failure?: LockFailure;
  /** Of locks that fail closed: who has the same `owner`. Absent: nobody else. */
  readonly ownedBy?: OwnedBy;
  /** The caller aborts so long after the call. */
  readonly abortAfter?: number;
  /** The work extends the hold. Absent: it does not. */
  readonly extension?: ExtensionPlan;
  /** The duration of the work. Of a candidate: it leaves so long after it has led for the first time. */
  readonly hold: number;
  /** Whether the work stops when the lock is lost. */
  readonly heedsSignal: boolean;
  /** Of `withLock` and `@Locked`: the work fails at its end. */
  readonly throws?: boolean;
  /** `twice`: `release` and `unlock` concurrently. `apart`: `release` of one of several locks, and then of all. */
  readonly ending: 'release' | 'unlock' | 'twice' | 'apart' | 'dispose';
  /** A stale write follows so long after the end of the work under a lost hold. */
  readonly staleAfter: number;
  /** Of `@Locked`. */
  readonly locked?: LockedPlan;
  /** Of a candidate: it works as a method with `@Leader` does, and queues again only when its work has ended. */
  readonly works?: boolean;
  /** A call in the middle of the work, which needs `withLock` or `@Locked`. */
  readonly nested?: NestedPlan;
}

/**
 * A call in the work of another one: a re-entrant call for a lock that the code around it holds, or a call for another lock.
 * What is absent here is as in the call around it for that lock, or has its default.
 */
export interface NestedPlan extends Pick<
  AttemptPlan,
  'verb' | 'wait' | 'ttl' | 'minHold' | 'mode' | 'hold' | 'heedsSignal' | 'throws' | 'ending' | 'nested'
> {
  /** Absent: that of the call around it. */
  readonly resource?: string;
  /** It is made as soon as a session has expired, if that is before the middle of the work. */
  readonly atExpiry?: boolean;
  /** Whether the work around it goes on without it, and may end before. */
  readonly outlives: boolean;
}

/** In the work of a call. */
export interface ExtensionPlan {
  /** So long after the grant, unless the work has ended. */
  readonly after: number;
  readonly ttl: number;
}

/** With `fair: false`. Only exclusive, and without a limit of waiters, which the module may set. */
export const SIMPLE = { fair: false, mode: undefined, permits: undefined, maxWaiters: Infinity };

/**
 * The plan of a call in the work of others.
 *
 * @param outers the plans of the calls around it, the innermost first
 */
export function nestedPlanOf(
  outers: readonly [AttemptPlan, ...AttemptPlan[]],
  { outlives: _outlives, atExpiry: _atExpiry, resource = outers[0].resource, ...nested }: NestedPlan,
): AttemptPlan {
  const { staleAfter, namedBy } = outers[0];
  const holder = outers.find((outer) => outer.resource === resource || outer.also?.includes(resource));
  const terms = holder === undefined ? freshTerms(resource) : termsWithin(holder, nested.mode);
  return { ...nested, ...terms, resource, staleAfter, namedBy, pause: 0, reentrant: true };
}

/** Of a call for a lock that no call around it has asked for. */
function freshTerms(resource: string): Partial<AttemptPlan> {
  return isSimpleResource(resource) ? SIMPLE : {};
}

function termsWithin(
  { mode, permits, fair, failure, ownedBy }: AttemptPlan,
  asked: LockMode | undefined,
): Partial<AttemptPlan> {
  const terms = { mode: asked ?? mode, permits, ...(fair === false ? SIMPLE : {}) };
  return failure === undefined ? terms : { ...terms, failure, ownedBy, mode };
}

/** Options that only `@Locked` has. */
export interface LockedPlan {
  /** The resource as a literal, as a template with arguments, or as a function of the arguments. */
  readonly key: 'text' | 'template' | 'function';
  readonly onBusy?: 'throw' | 'skip';
  readonly allowLiteral?: boolean;
}

/** Such a call runs its work itself, as nested calls require. */
export function isAround(verb: Verb): verb is 'withLock' | '@Locked' {
  return verb === 'withLock' || verb === '@Locked';
}

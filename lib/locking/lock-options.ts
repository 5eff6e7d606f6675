import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { withInherited } from './inherited-options.js';
import { combinationProblems } from './lock-option-combinations.js';
import type { LockFailure, LockMode } from './lock-provider.interface.js';
import { milliseconds, mustBe, oneOf, shortText, trueOrFalse, wholeNumber } from './option-checks.js';
import { validateOptions, withDefaults, type OptionTable, type WithDefaults } from './option-table.js';
import { gotInstead, isOptionsObject } from './options-object.js';
import { MAX_OWNER_TEXT } from './owner-text.js';
import { USE_WITH_LOCK } from './use-with-lock.js';

/** What an acquisition does when its client hangs up: `leave` the queue, or `stay` in it. @publicApi */
export type WhenCallerLeaves = 'leave' | 'stay';

/**
 * `confirmed`: work returns when the store has confirmed the release, or refused it again and again; `sent`: as soon as the
 * release has been sent.
 *
 * @publicApi
 */
export type ReleaseMode = 'confirmed' | 'sent';

/**
 * Options of one acquisition. There are three durations: `wait` limits the time in the queue, `ttl` the time that the
 * lock is held, and `minHold` is the shortest time that the lock stays taken.
 *
 * @publicApi
 */
export interface LockOptions {
  /**
   * How long to wait in the queue, in ms: an integer below 2^31, or `Infinity`; 0 = one attempt that never queues. A
   * module can change the default: `defaults.wait`.
   *
   * @default Infinity
   */
  readonly wait?: number | undefined;
  /**
   * How long the lock may be held, in ms: an integer below 2^31; 0 = no limit. After this time `signal` aborts,
   * `ttlExpired` is emitted and the lock is released, even if the work has not ended. A module can change the
   * default: `defaults.ttl`.
   *
   * @default 0
   */
  readonly ttl?: number | undefined;
  /**
   * How many acquisitions may wait: a whole number or `Infinity`. One that finds so many waiters ahead of it fails at
   * once with a `LockBusyError`. Callers of this process count, and one for each other process that waits; with
   * `localQueue: false`, for semaphores and for locks that fail closed, all callers of all processes. Acquisitions that
   * are just failing this way count as waiters. A waiter that has lost its place may always queue again. A module can
   * change the default: `defaults.maxWaiters`.
   *
   * @default Infinity
   */
  readonly maxWaiters?: number | undefined;
  /**
   * What to do if the client of the HTTP request or WebSocket message hangs up before the lock is granted: `leave` the
   * queue and reject with a `LockCallerGoneError`, or `stay` for work that must be done anyway. A held lock stays held.
   * A module can change the default: `defaults.whenCallerLeaves`.
   *
   * @default 'leave'
   */
  readonly whenCallerLeaves?: WhenCallerLeaves | undefined;
  /**
   * How long the lock stays taken at least, in ms, even if it is released earlier: for jobs that several replicas start at
   * about the same time. Not longer than `ttl`.
   *
   * @default 0
   */
  readonly minHold?: number | undefined;
  /**
   * A call from code that holds the lock already has it at once, and the lock becomes free when the last one of them has
   * ended. The inner hold ends no later than the `ttl` of the outer one, and both have the same fencing token. Within
   * `write` and `exclusive`, `read` is possible as well, but not the other way round. Calls that the code makes without
   * waiting for them have the lock too, at the same time. A module can change the default: `defaults.reentrant`.
   *
   * @default false
   */
  readonly reentrant?: boolean | undefined;
  /** Ends the wait when it aborts; the acquisition rejects with the reason of the signal. It does not end a hold. */
  readonly signal?: AbortSignal | undefined;
  /** Name of the holder in events, messages and `inspect()`. @default the module's `owner` */
  readonly owner?: string | undefined;
  /** What the lock is for, shown by `inspect()`. @default `Class.method` with `@Locked` */
  readonly purpose?: string | undefined;
  /**
   * Whether others may hold the lock at the same time: `read` shares it with others that read, `semaphore` with as many others
   * as there are `permits`, which imply it; `write` and `exclusive` share it with nobody.
   *
   * @default 'exclusive'
   */
  readonly mode?: LockMode | undefined;
  /**
   * How many may hold the lock at the same time: a whole number from 1 to 1,000, the same in all calls for the resource.
   * Makes the lock a semaphore.
   */
  readonly permits?: number | undefined;
  /**
   * What becomes of the lock when its holder fails: with `open`, others have it after the session timeout; with
   * `closed`, nobody has it until the same `owner` acquires it again, or `forceRelease()` frees it. Needs an `owner`
   * that one process at a time has, and that is the same after a restart. Only with the modes `exclusive` and `write`.
   *
   * @default 'open'
   */
  readonly failure?: LockFailure | undefined;
  /**
   * `false`: the lock has no queue. It costs fewer nodes, and whoever tries first after a release has it: for locks that
   * few processes want, in any order, because all of them try at once. Only with the mode `exclusive` and without
   * `maxWaiters`, and the same in all calls for the resource.
   *
   * @default true
   */
  readonly fair?: boolean | undefined;
}

/** Defaults of the lock options, for all acquisitions of a module. @publicApi */
export type LockDefaults = Required<
  Pick<LockOptions, 'wait' | 'ttl' | 'maxWaiters' | 'whenCallerLeaves' | 'reentrant'>
>;

/** Every waiter watches as many contenders. */
const MAX_PERMITS = 1_000;

/** The lock options whose default a module can set. */
export const LOCK_DEFAULT_OPTIONS = {
  wait: { default: Infinity, ...milliseconds({ infinite: true }) },
  ttl: { default: 0, ...milliseconds() },
  maxWaiters: { default: Infinity, ...wholeNumber('waiters', { infinite: true }) },
  whenCallerLeaves: { default: 'leave', check: oneOf('leave', 'stay') },
  reentrant: { default: false, check: trueOrFalse },
} satisfies OptionTable<LockDefaults>;

export const LOCK_OPTIONS = {
  ...LOCK_DEFAULT_OPTIONS,
  minHold: { default: 0, ...milliseconds() },
  signal: { check: mustBe('an AbortSignal', (value) => value instanceof AbortSignal) },
  owner: { check: shortText(MAX_OWNER_TEXT) },
  purpose: { check: shortText(MAX_OWNER_TEXT) },
  mode: { default: 'exclusive', check: oneOf('exclusive', 'read', 'write', 'semaphore') },
  permits: wholeNumber('permits', { least: 1, most: MAX_PERMITS }),
  failure: { default: 'open', check: oneOf('open', 'closed') },
  fair: { default: true, check: trueOrFalse },
} satisfies OptionTable<LockOptions>;

export const LOCK_DEFAULTS: LockDefaults = withDefaults<Partial<LockDefaults>, typeof LOCK_DEFAULT_OPTIONS>(
  LOCK_DEFAULT_OPTIONS,
  {},
);

/** What a service fills in for options that are not given. */
export interface ServiceDefaults extends LockDefaults {
  readonly owner: string;
  /** It was given, so that it may be the same after a restart. */
  readonly hasStableOwner: boolean;
}

export interface ResolvedLockOptions extends WithDefaults<LockOptions, typeof LOCK_OPTIONS> {
  readonly owner: string;
}

/**
 * Applies the defaults and checks every value.
 *
 * @throws LockConfigurationError listing every problem at once
 */
export function resolveLockOptions(
  given: number | LockOptions | undefined,
  defaults: ServiceDefaults,
): ResolvedLockOptions {
  const options = toOptions(given);
  const problems = validateOptions('lock option', LOCK_OPTIONS, options);
  if (problems.length > 0) throw new LockConfigurationError(problems);
  const resolved = withDefaults(LOCK_OPTIONS, options, defaults) as ResolvedLockOptions;
  const hasStableOwner = options.owner !== undefined || defaults.hasStableOwner;
  const combined = [...combinationProblems(resolved, hasStableOwner)];
  if (combined.length > 0) throw new LockConfigurationError(combined);
  return resolved;
}

/** The problems of options that are valid alone, but not together, whatever the defaults of the module are. */
export function contradictionsOf(given: LockOptions): string[] {
  const options = withDefaults(LOCK_OPTIONS, toOptions(given), LOCK_DEFAULTS);
  return [...combinationProblems(options, true)];
}

/** @throws LockConfigurationError */
export type OptionsResolver = (given: number | LockOptions | undefined) => ResolvedLockOptions;

/** Resolves the options of the calls of a service. Calls without options share theirs, which are resolved once. */
export function optionsResolver(defaults: ServiceDefaults): OptionsResolver {
  let withoutOptions: ResolvedLockOptions | undefined;
  return (given) => {
    if (given !== undefined) return resolveLockOptions(given, defaults);
    withoutOptions ??= resolveLockOptions(given, defaults);
    return withoutOptions;
  };
}

function toOptions(given: unknown): LockOptions {
  if (given === undefined) return {};
  if (typeof given === 'number') return { ttl: given };
  if (isOptionsObject(given)) {
    const options: LockOptions = given;
    const isSemaphore = options.permits !== undefined && options.mode === undefined;
    return isSemaphore
      ? { ...withInherited(Object.keys(LOCK_OPTIONS), options), mode: 'semaphore' }
      : options;
  }
  throw new LockConfigurationError(
    `Lock options must be a ttl in ms or an object of options: ${gotInstead(given)}` +
      (typeof given === 'function' ? `. ${USE_WITH_LOCK}` : ''),
  );
}

/** @throws LockConfigurationError */
export function assertTtl(ttl: unknown): void {
  assertGiven('ttl', ttl);
}

/** @throws LockConfigurationError */
export function assertPermits(permits: unknown): void {
  assertGiven('permits', permits);
}

/** @throws LockConfigurationError */
export function assertSignal(signal: unknown): void {
  if (signal !== undefined) assertGiven('signal', signal);
}

function assertGiven(name: 'ttl' | 'permits' | 'signal', value: unknown): void {
  const problems =
    value === undefined ? [`\`${name}\` is missing`] : [...LOCK_OPTIONS[name].check(name, value)];
  if (problems.length > 0) throw new LockConfigurationError(problems);
}

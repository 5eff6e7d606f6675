import { USE_WITH_LOCK } from './call-arguments.js';
import { MAX_TIMER_MS } from './clock.js';
import { describeValue } from './describe-value.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';
import { MAX_OWNER_TEXT } from './owner-text.js';

/** `exclusive`: at most one holder at a time. */
export type LockMode = 'exclusive';

/** What an acquisition does when the client it works for hangs up: `leave` the queue, or `stay` in it. */
export type WhenCallerLeaves = 'leave' | 'stay';

/** `confirmed`: work returns when the store has confirmed the release; `sent`: as soon as the release has left. */
export type ReleaseMode = 'confirmed' | 'sent';

/**
 * What an acquisition may say. Three durations, never one for two meanings: `wait` is how long to queue, `ttl` how
 * long the hold may last, `minHold` how long it lasts at least.
 *
 * @publicApi
 */
export interface LockOptions {
  /**
   * How long the hold may last, ms, integer below 2^31; 0 = no limit. When it has passed, `signal` aborts, the
   * `ttlExpired` event follows, and the lock is given up, whether the work has ended or not.
   *
   * @default 0, or the module's `defaults.ttl`
   */
  readonly ttl?: number;
  /**
   * How long the acquisition may wait, ms, integer below 2^31 or `Infinity`; 0 = one attempt that never queues.
   *
   * @default Infinity, or the module's `defaults.wait`
   */
  readonly wait?: number;
  /**
   * How many may wait for the lock, of all processes; an acquisition that finds so many waiters ahead fails at once with a
   * `LockBusyError`. A whole number or `Infinity`. Whoever is just being turned away counts too; a waiter that lost its
   * place and queues again is let in.
   *
   * @default Infinity, or the module's `defaults.maxWaiters`
   */
  readonly maxWaiters?: number;
  /**
   * What happens when the client hangs up, in whose HTTP request or WebSocket message the lock is asked for, before it is
   * granted: `leave` the queue and reject with a `LockCallerGoneError`, or `stay` for work that must be done all the same.
   * It does not end a hold.
   *
   * @default 'leave', or the module's `defaults.whenCallerLeaves`
   */
  readonly whenCallerLeaves?: WhenCallerLeaves;
  /**
   * How long the lock stays taken at least, ms, even if it is released before: for jobs that several replicas start at
   * about the same time. Not longer than `ttl`.
   *
   * @default 0
   */
  readonly minHold?: number;
  /** Aborting it ends the wait; the acquisition rejects with the signal's own reason. It does not end a hold. */
  readonly signal?: AbortSignal;
  /**
   * Name of the holder in events, messages and `inspect()`.
   *
   * @default `<hostname>:<pid>:<8 hex digits>`, one per lock service
   */
  readonly owner?: string;
  /** What the lock is for, shown by `inspect()`. `@Locked` says `Class.method`. */
  readonly purpose?: string;
  /** @default 'exclusive' */
  readonly mode?: LockMode;
}

/** What an acquisition falls back to. */
export interface LockDefaults {
  readonly wait: number;
  readonly ttl: number;
  readonly maxWaiters: number;
  readonly whenCallerLeaves: WhenCallerLeaves;
}

/** What an acquisition falls back to if the module says nothing. */
export const LOCK_DEFAULTS: LockDefaults = {
  wait: Infinity,
  ttl: 0,
  maxWaiters: Infinity,
  whenCallerLeaves: 'leave',
};

export interface ResolvedLockOptions {
  readonly ttl: number;
  readonly wait: number;
  readonly minHold: number;
  readonly maxWaiters: number;
  readonly whenCallerLeaves: WhenCallerLeaves;
  readonly signal: AbortSignal | undefined;
  readonly owner: string;
  readonly purpose: string | undefined;
  readonly mode: LockMode;
}

const KNOWN = new Set<string>([
  'ttl',
  'wait',
  'minHold',
  'maxWaiters',
  'whenCallerLeaves',
  'signal',
  'owner',
  'purpose',
  'mode',
] satisfies (keyof LockOptions)[]);

/**
 * Applies the defaults and checks every value.
 *
 * @throws LockConfigurationError listing every problem at once
 */
export function resolveLockOptions(
  given: number | LockOptions | undefined,
  defaults: LockDefaults & { readonly owner: string },
): ResolvedLockOptions {
  const options = toOptions(given);
  const problems = [...validateLockOptions(options)];
  const resolved: ResolvedLockOptions = {
    ttl: options.ttl ?? defaults.ttl,
    wait: options.wait ?? defaults.wait,
    minHold: options.minHold ?? 0,
    maxWaiters: options.maxWaiters ?? defaults.maxWaiters,
    whenCallerLeaves: options.whenCallerLeaves ?? defaults.whenCallerLeaves,
    signal: options.signal,
    owner: options.owner ?? defaults.owner,
    purpose: options.purpose,
    mode: options.mode ?? 'exclusive',
  };
  if (resolved.ttl > 0 && resolved.ttl < resolved.minHold) {
    problems.push(
      `\`minHold\` must not be longer than \`ttl\`: got minHold ${resolved.minHold} and ttl ${resolved.ttl} ms`,
    );
  }
  if (problems.length > 0) throw new LockConfigurationError(problems);
  return resolved;
}

function toOptions(given: unknown): LockOptions {
  if (given === undefined) return {};
  if (typeof given === 'number') return { ttl: given };
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  throw new LockConfigurationError(
    `Lock options must be a ttl in ms or an object of options: got ${describeValue(given)}` +
      (typeof given === 'function' ? `. ${USE_WITH_LOCK}` : ''),
  );
}

/** Every problem of the options themselves, as sentences; also used by `@Locked`. */
export function* validateLockOptions(options: LockOptions): Generator<string> {
  yield* validateKeys('lock option', options, KNOWN);
  yield* validateDefaults(options);
  yield* validateDuration('minHold', options.minHold);
  yield* validateText('owner', options.owner);
  yield* validateText('purpose', options.purpose);
  yield* validateSignal(options.signal);
  if (options.mode !== undefined && options.mode !== 'exclusive') {
    yield `\`mode\` must be 'exclusive': got ${describeValue(options.mode)}`;
  }
}

/** Those of what a module can also say, as `defaults`. */
export function* validateDefaults(options: Partial<LockDefaults>, prefix = ''): Generator<string> {
  const { ttl, wait, maxWaiters, whenCallerLeaves } = options;
  yield* validateDuration(`${prefix}ttl`, ttl);
  yield* validateDuration(`${prefix}wait`, wait, { infinite: true });
  if (
    maxWaiters !== undefined &&
    maxWaiters !== Infinity &&
    !(Number.isSafeInteger(maxWaiters) && maxWaiters >= 0)
  ) {
    yield `\`${prefix}maxWaiters\` must be a whole number of waiters from 0, or Infinity: got ${describeValue(maxWaiters)}`;
  }
  if (whenCallerLeaves !== undefined && whenCallerLeaves !== 'leave' && whenCallerLeaves !== 'stay') {
    yield `\`${prefix}whenCallerLeaves\` must be 'leave' or 'stay': got ${describeValue(whenCallerLeaves)}`;
  }
}

/**
 * A misspelt option would silently mean its default; it is an error with the likely names instead. Its value is not
 * shown: who knows what secret was meant.
 */
export function* validateKeys(what: string, options: object, known: ReadonlySet<string>): Generator<string> {
  for (const key of Object.keys(options)) {
    if (!known.has(key)) yield `unknown ${what} '${key}': accepted are ${[...known].join(', ')}`;
  }
}

export function* validateDuration(
  name: string,
  value: unknown,
  { least = 0, infinite = false } = {},
): Generator<string> {
  if (value === undefined || (infinite && value === Infinity)) return;
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= MAX_TIMER_MS) return;
  const accepted = `a whole number of milliseconds from ${least} to ${MAX_TIMER_MS}${infinite ? ' or Infinity' : ''}`;
  yield `\`${name}\` must be ${accepted}: got ${describeValue(value)}`;
}

export function* validateSignal(value: unknown): Generator<string> {
  if (value === undefined || value instanceof AbortSignal) return;
  yield `\`signal\` must be an AbortSignal: got ${describeValue(value)}`;
}

function* validateText(name: string, value: unknown): Generator<string> {
  if (value === undefined) return;
  if (typeof value === 'string' && value !== '') {
    if (value.length > MAX_OWNER_TEXT)
      yield `\`${name}\` must have at most ${MAX_OWNER_TEXT} characters: got ${value.length}`;
    return;
  }
  yield `\`${name}\` must be a non-empty string: got ${describeValue(value)}`;
}

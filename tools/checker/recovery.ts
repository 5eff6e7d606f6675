import type { RunHistory, Incarnation } from '../history/run-history.js';
import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import { eventsOf, isShared, type Attempt } from './attempt.js';
import { Health, longestSession, sessionMs } from './health.js';
import { earliest } from './intervals.js';
import { lostAt } from './kept-after-loss.js';
import type { Violation } from './violation.js';

export interface Recoveries {
  /** The number of killed holders. */
  readonly kills: number;
  /** The number of those that had a waiter and no other disturbance. */
  readonly judged: number;
  /** The longest of the judged recoveries, ms. */
  readonly longest: number;
  readonly violations: readonly Violation[];
}

/** L2: the lock of a killed holder, which did not share it and does not fail closed, is granted to the next waiter within T and two ticks. */
export function recoveries(attempts: readonly Attempt[], history: RunHistory): Recoveries {
  const health = new Health(history);
  const killed = attempts.filter((attempt) => heldWhenKilled(attempt) && attempt.asked.failure !== 'closed');
  const judgements = killed.map((holder) => judge(holder, holder.incarnation!, attempts, history, health));
  const judged = judgements.filter((judgement) => judgement !== undefined);
  return {
    kills: killed.length,
    judged: judged.length,
    longest: Math.max(0, ...judged.map(({ ms }) => ms)),
    violations: judged.flatMap(({ violation }) => violation ?? []),
  };
}

/** Once it is not valid any more, the lock may have been freed, although the kill came before that was recorded. */
export function heldWhenKilled(attempt: Attempt): boolean {
  return (
    !isShared(attempt) &&
    attempt.incarnation?.end === 'killed' &&
    attempt.valid !== undefined &&
    eventsOf(attempt, 'releasing').length === 0 &&
    lostAt(attempt) === undefined
  );
}

interface Judgement {
  readonly ms: number;
  readonly violation?: Violation;
}

/** Undefined if there was another disturbance, or no attempt waited all the time. */
function judge(
  holder: Attempt,
  incarnation: Incarnation,
  attempts: readonly Attempt[],
  history: RunHistory,
  health: Health,
): Judgement | undefined {
  const { to: killedAt } = incarnation;
  const bound = sessionMs(incarnation, history.run);
  const latest = bound + history.run.precision.recoveryNoise;
  const deadline = killedAt + nanoseconds(latest);
  const others = attempts.filter(
    ({ resource, asked, incarnation }) =>
      resource === holder.resource && incarnation !== holder.incarnation && asked.at < deadline,
  );
  const waiters = others.filter(
    ({ queuedAt, takenAt, end, incarnation }) =>
      queuedAt !== undefined &&
      queuedAt < killedAt &&
      // A waiter that was killed has no end.
      ((end?.at ?? incarnation?.to ?? deadline) > deadline || (takenAt !== undefined && takenAt > killedAt)),
  );
  const lookBack = killedAt - longestSession(history);
  const undisturbed = health.ofAll(lookBack, deadline, { process: holder.process, at: killedAt });
  if (waiters.length === 0 || !undisturbed) return undefined;

  const grants = others.flatMap(grantsOf).filter((at) => at > killedAt);
  const next = earliest(...grants);
  if (next !== undefined && next <= deadline) return { ms: milliseconds(next - killedAt) };
  return {
    ms: latest,
    violation: {
      invariant: 'L2',
      sentence:
        `${holder.name} was killed at ${moment(killedAt, history)} while it held '${holder.resource}', and no waiter had ` +
        `been granted it by ${moment(deadline, history)}; T and two ticks are ${bound} ms`,
      at: deadline,
      attempts: [holder, ...waiters.slice(0, 2)].map(({ name }) => name),
      processes: [holder, ...waiters.slice(0, 2)].map(({ process }) => process),
    },
  };
}

/** When the attempt got the lock: one of several locks can get it again and again, each time after a loss. */
function grantsOf(attempt: Attempt): bigint[] {
  const acquired = eventsOf(attempt, 'emitted').filter(({ event }) => event === 'acquired');
  return [...acquired, ...eventsOf(attempt, 'granted')].map(({ at }) => at);
}

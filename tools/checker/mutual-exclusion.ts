import type { RunHistory } from '../history/run-history.js';
import { groupBy } from '../history/group-by.js';
import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import { exclude, type Attempt, type Validity } from './attempt.js';
import { freedFromOutside } from './freed-from-outside.js';
import { Health, longestSession } from './health.js';
import { PermitNumbers } from './permit-numbers.js';
import { later, type Interval } from './intervals.js';
import { mayNotKnowOfTakeover } from './takeovers.js';
import type { Violation } from './violation.js';

/** A permit is granted so long after its number of permits was read, ms. */
const READ_WITHIN_MS = 150;

type Holder = Attempt & { readonly valid: Validity };

/** S1: valid holds of a resource never overlap, unless they share it. */
export function* mutualExclusion(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const health = new Health(history);
  for (const second of groupBy(overlaps(attempts), (overlap) => overlap.second).values()) {
    const overlap = second.find((one) => !excused(one, history, health));
    if (overlap !== undefined) yield violation(overlap, history);
  }
  yield* tooManyHolders(attempts, history, health);
}

/** The number of overlaps that no lock could prevent, because the lock of a holder had been freed from outside. */
export function excusedOverlaps(attempts: readonly Attempt[], history: RunHistory): number {
  const health = new Health(history);
  return [...overlaps(attempts)].filter((overlap) => excused(overlap, history, health)).length;
}

interface Overlap {
  readonly first: Holder;
  readonly second: Holder;
}

function* overlaps(attempts: readonly Attempt[]): Generator<Overlap> {
  const holders = attempts.filter((attempt): attempt is Holder => attempt.valid !== undefined);
  for (const ofResource of groupBy(holders, ({ resource }) => resource).values()) {
    let valid: Holder[] = [];
    for (const second of ofResource.sort((a, b) => (a.valid.from < b.valid.from ? -1 : 1))) {
      valid = valid.filter((first) => isStillValid(first, second));
      for (const first of valid) if (exclude(first, second)) yield { first, second };
      valid.push(second);
    }
  }
}

/** Holds of a semaphore that overlap are at most as many as there are permits. */
function* tooManyHolders(
  attempts: readonly Attempt[],
  history: RunHistory,
  health: Health,
): Generator<Violation> {
  const holders = attempts.filter(
    (attempt): attempt is Holder => attempt.valid !== undefined && attempt.asked.permits !== undefined,
  );
  const numbers = new PermitNumbers(history);
  for (const ofResource of groupBy(holders, ({ resource }) => resource).values()) {
    let valid: Holder[] = [];
    for (const second of ofResource.sort((a, b) => (a.valid.from < b.valid.from ? -1 : 1))) {
      valid = valid.filter((first) => isStillValid(first, second));
      // It shares the permit of the call around it.
      if (second.root !== second.name) {
        valid.push(second);
        continue;
      }
      const others = valid.filter(
        (first) => first.root !== second.root && !excused({ first, second }, history, health),
      );
      // Whoever comes late to its permit counts those ahead alone. Those behind got theirs when there were more, perhaps.
      const granted = [second, ...others.filter((first) => isBehind(first, second))];
      const most = Math.max(
        ...granted.flatMap((holder) => [...numbers.during(holder, whenGranted(holder, history, health))]),
      );
      if (new Set(others.map(({ root }) => root)).size >= most)
        yield violation({ first: others[0]!, second }, history);
      valid.push(second);
    }
  }
}

/** Tokens have the order of the queue. */
function isBehind(first: Holder, second: Holder): boolean {
  return first.grant !== undefined && second.grant !== undefined && first.grant.token > second.grant.token;
}

/**
 * When its permit was granted by the number of permits that there was. Whoever is disturbed, or reads from a server that is, may
 * have read the number long ago.
 */
function whenGranted(holder: Holder, history: RunHistory, health: Health): Interval {
  const { asked, takenAt, valid, process } = holder;
  const to = valid.from;
  const at = takenAt !== undefined && takenAt < to ? takenAt : to;
  const since = at - longestSession(history);
  const isUndisturbed =
    history.run.precision.isVirtual && health.ofServers(since, to) && health.ofProcess(process, since, to);
  return { from: isUndisturbed ? later(asked.at, at - nanoseconds(READ_WITHIN_MS)) : asked.at, to };
}

/** One process may pass a lock on to its next caller in the same instant. */
function isStillValid(first: Holder, { valid, asked }: Holder): boolean {
  return first.asked.actor === asked.actor ? first.valid.to > valid.from : first.valid.to >= valid.from;
}

/**
 * Outsiders can free a lock before its holder can know: a duplicate ends the session, an operator deletes the contender, or
 * the servers lose their data. The holder learns of it before its deadline; until then, only fencing protects the resource. The
 * holder of a lock that fails closed has no deadline, and learns of it when it has contact.
 */
function excused({ first, second }: Overlap, history: RunHistory, health: Health): boolean {
  // The second: its grant arrived after the lock had been freed again, and granted to the first.
  return (
    freedFromOutside(first, second, history, health) ||
    freedFromOutside(second, first, history, health) ||
    takenOver(first, second, history, health) ||
    takenOver(second, first, history, health)
  );
}

/** Its owner has taken the lock over elsewhere, and released it perhaps, and the holder had no contact. */
function takenOver(holder: Holder, successor: Holder, history: RunHistory, health: Health): boolean {
  const { takeover, valid } = holder;
  if (takeover === undefined || takeover.to > later(valid.from, successor.valid.from)) return false;
  return mayNotKnowOfTakeover(holder, history, health);
}

function violation({ first, second }: Overlap, history: RunHistory): Violation {
  const end = first.valid.to < second.valid.to ? first.valid.to : second.valid.to;
  const ms = Math.max(1, Math.round(milliseconds(end - second.valid.from)));
  return {
    invariant: 'S1',
    sentence:
      `${first.name} and ${second.name} both hold '${first.resource}' for ${ms} ms: ` +
      `${describe(first, history)}, ${describe(second, history)}`,
    at: second.valid.from,
    attempts: [first.name, second.name],
    processes: [first.process, second.process],
  };
}

function describe({ name, valid, grant }: Holder, history: RunHistory): string {
  return `${name} (token ${grant?.token ?? '?'}) from ${moment(valid.from, history)} to ${moment(valid.to, history)}`;
}

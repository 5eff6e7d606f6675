import { milliseconds, moment, nanoseconds } from '../history/moments.js';
import type { ProcessEventOf } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, isLoss, lossOf, sharesPlace, type Attempt } from './attempt.js';
import { Calls } from './calls.js';
import { DRIFT, ROUNDING_MS } from './clocks.js';
import { Health, sessionMs } from './health.js';
import { names, outsideEnds } from './outside-ends.js';
import { Stalls } from './stalls.js';
import { hasPassed, ttlAt } from './ttls.js';
import { withOuters } from './with-outers.js';
import type { Violation } from './violation.js';

type Loss = ProcessEventOf<'emitted'>;

/** L1: no hold ends without a cause, which its final event names. */
export function* losses(attempts: readonly Attempt[], history: RunHistory): Generator<Violation> {
  const causes = new Causes(attempts, history);
  for (const attempt of attempts) {
    const { name, process, resource } = attempt;
    const loss = lossOf(attempt);
    const missing = loss && causes.missing(attempt, loss);
    if (loss === undefined || missing === undefined) continue;
    const sentence = `${name} lost '${resource}' at ${moment(loss.at, history)}, ${missing}`;
    yield { invariant: 'L1', sentence, at: loss.at, attempts: [name], processes: [process] };
  }
}

class Causes {
  readonly #health: Health;
  readonly #stalls: Stalls;
  readonly #named: ReadonlyMap<string, Attempt>;
  readonly #calls: Calls;

  constructor(
    private readonly attempts: readonly Attempt[],
    private readonly history: RunHistory,
  ) {
    this.#health = new Health(history);
    this.#stalls = new Stalls(history);
    this.#named = new Map(attempts.map((attempt) => [attempt.name, attempt]));
    this.#calls = new Calls(attempts);
  }

  /** What would have had to happen before, in words; undefined if it may have happened. */
  missing(attempt: Attempt, { event, detail, at }: Loss): string | undefined {
    if (event === 'ttlExpired') return this.#ttlPassed(attempt, at) ? undefined : 'before its ttl had passed';
    switch (detail) {
      case 'session':
        return this.#lostContact(attempt, at) ? undefined : 'with its session, and nothing was disturbed';
      case 'deleted':
        return this.#mayBeDeleted(attempt, at) ? undefined : 'and nobody had deleted its contender';
      case 'together':
        return this.#lostAnother(attempt, at) ? undefined : 'and no other lock of its call had been lost';
      case 'shutdown':
        return this.#drained(attempt, at) ? undefined : 'before the drainTimeout of its service had passed';
      default:
        return `for a reason that nothing in the run can have: ${detail}`;
    }
  }

  /** Its own ttl, or that of a hold around it. */
  #ttlPassed(attempt: Attempt, at: bigint): boolean {
    return withOuters(attempt, this.#named).some((one) => {
      const last = ttlAt(one, at);
      return last !== undefined && hasPassed(last, at);
    });
  }

  /** What happens to a session shows after its timeout at the latest. Nobody records how slow real servers are. */
  #lostContact(attempt: Attempt, at: bigint): boolean {
    const { run } = this.history;
    if (!run.precision.isVirtual) return true;
    const { incarnation } = attempt;
    const { from = at } = incarnation ?? {};
    const since = at - nanoseconds(sessionMs(incarnation, run) + run.precision.noise);
    return since < from || !this.#health.ofSession(attempt, at);
  }

  /** Of callers that share a contender, it names only one. */
  #mayBeDeleted(attempt: Attempt, at: bigint): boolean {
    const root = this.#rootOf(attempt);
    if (attempt.valid === undefined || attempt.failsClosed) return true;
    if (outsideEnds(root, this.history, at).length > 0) return true;
    return (
      sharesPlace(root) &&
      this.history.faults.some((fault) => {
        if (fault.kind !== 'contenderDeletion' || !fault.struck || fault.from > at) return false;
        const deleted = this.attempts.find((one) => names(fault, one));
        return deleted?.process === root.process && deleted.resource === root.resource;
      })
    );
  }

  /** A nested hold ends with the one around it. A process tells one after the other, and may be descheduled or killed in between. */
  #lostAnother(attempt: Attempt, at: bigint): boolean {
    const { name, asked, incarnation } = this.#rootOf(attempt);
    const others = this.#calls.membersOf(this.#rootOf(attempt)).filter((other) => other.name !== name);
    const ends = others.flatMap((other) => eventsOf(other, 'emitted').filter(isLoss)).map((loss) => loss.at);
    if (others.length > 0 && incarnation?.end === 'killed') ends.push(incarnation.to);
    return ends.some((end) => milliseconds(end - at) <= this.#stalls.tolerance(asked.actor, at, end));
  }

  #rootOf(attempt: Attempt): Attempt {
    return this.#named.get(attempt.root) ?? attempt;
  }

  #drained({ incarnation }: Attempt, at: bigint): boolean {
    const { closingSince, drainTimeout = 0, end } = incarnation ?? {};
    // Where the start of a shutdown is not known, its end is.
    if (closingSince === undefined) return end === 'shutDown' || end === 'closed' || end === 'stuck';
    return milliseconds(at - closingSince) >= drainTimeout * (1 - DRIFT) - ROUNDING_MS;
  }
}

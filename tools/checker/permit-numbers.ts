import type { FaultRecord } from '../history/fault-record.js';
import { groupBy } from '../history/group-by.js';
import type { ProcessEvent } from '../history/process-event.js';
import type { RunHistory } from '../history/run-history.js';
import { eventsOf, type Attempt } from './attempt.js';
import { later, type Interval } from './intervals.js';
import { lockRequests } from './lock-requests.js';

/** Something that has given a semaphore this number of permits, or has shown that it has it, at a moment in this time. */
interface Setting {
  readonly permits: number;
  readonly from: bigint;
  /** Undefined if it is not known whether it has done so, or when at the latest. */
  readonly to: bigint | undefined;
}

/** Which numbers of permits the semaphores of a history may have had. */
export class PermitNumbers {
  readonly #changes: ReadonlyMap<string, readonly Setting[]>;

  /** Of sessions. */
  readonly #expiries: readonly ProcessEvent[];
  readonly #deletions: readonly FaultRecord[];

  constructor(private readonly history: RunHistory) {
    this.#expiries = history.events.filter(
      (event) => event.what === 'connection' && event.state === 'sessionExpired',
    );
    this.#deletions = history.faults.filter(({ kind, struck }) => kind === 'contenderDeletion' && struck);
    const changes = lockRequests(history).flatMap(({ resource, permits, outcome, from, to }) => {
      // Nobody used the semaphore then.
      if (permits === undefined || outcome === 'nobody') return [];
      return [{ resource, permits, from, to: outcome === 'stored' ? to : undefined }];
    });
    this.#changes = groupBy(changes, ({ resource }) => resource);
  }

  /** The numbers that the semaphore may have had at any moment of this time, in which the attempt was in its queue. */
  during(attempt: Attempt, { from, to }: Interval): ReadonlySet<number> {
    const settings = this.#settingsOf(attempt);
    const isOver = (one: Setting, at: bigint): boolean =>
      one.to !== undefined &&
      settings.some((next) => next.to !== undefined && next.to <= at && next.from > one.to!);
    const possible = settings.filter((one) => one.from <= to && !isOver(one, later(from, one.from)));
    return new Set(possible.map(({ permits }) => permits));
  }

  /** The times since the call, each with the smallest number that is possible in it. */
  leastNumbers(
    attempt: Attempt,
    { run }: Pick<RunHistory, 'run'>,
  ): readonly (Interval & { readonly permits: number })[] {
    const { asked, end = { at: run.endedAt } } = attempt;
    const bounds = this.#settingsOf(attempt).flatMap(({ from, to }) =>
      to === undefined ? [from] : [from, to],
    );
    const changes = bounds.filter((at) => at > asked.at && at < end.at);
    const times = [...new Set([asked.at, ...changes, run.endedAt])].toSorted((a, b) => (a < b ? -1 : 1));
    return times.slice(1).map((to, index) => {
      const from = times[index]!;
      return { from, to, permits: Math.min(...this.during(attempt, { from, to: from })) };
    });
  }

  /**
   * When it had last joined the queue, at the latest; undefined if that is not known. Who loses its place joins again, and says
   * nothing of it if it is granted the lock at once.
   */
  joinedBy(attempt: Attempt): bigint | undefined {
    const { queuedAt, grant, end = { at: this.history.run.endedAt } } = attempt;
    const waiting = eventsOf(attempt, 'emitted').findLast(({ event }) => event === 'waiting');
    if (queuedAt === undefined || waiting === undefined) return grant?.at;
    return this.#mayHaveLostItsPlace(attempt, { from: waiting.at, to: end.at }) ? grant?.at : waiting.at;
  }

  #mayHaveLostItsPlace({ asked }: Attempt, { from, to }: Interval): boolean {
    return (
      this.#expiries.some(({ actor, at }) => actor === asked.actor && at > from && at <= to) ||
      this.#deletions.some(({ from: at }) => at > from && at <= to)
    );
  }

  /** The attempt has seen its number when it joined the queue, after all changes that had returned before its call. */
  #settingsOf(attempt: Attempt): Setting[] {
    const { asked, resource } = attempt;
    const seen = { permits: asked.permits!, from: asked.at, to: this.joinedBy(attempt) };
    const changes = this.#changes.get(resource) ?? [];
    return [seen, ...changes.filter(({ to }) => to === undefined || to >= asked.at)];
  }
}

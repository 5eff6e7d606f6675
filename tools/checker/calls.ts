import { groupBy } from '../history/group-by.js';
import type { Attempt } from './attempt.js';

/** Which attempts belong together, because one call has asked for several locks. */
export class Calls {
  readonly #members: ReadonlyMap<string | undefined, readonly Attempt[]>;

  constructor(attempts: readonly Attempt[]) {
    this.#members = groupBy(attempts, ({ call }) => call);
  }

  /** Those of its call, and the attempt itself. */
  membersOf(attempt: Attempt): readonly Attempt[] {
    return attempt.call === undefined ? [attempt] : (this.#members.get(attempt.call) ?? []);
  }
}

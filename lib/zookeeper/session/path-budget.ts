/**
 * How many bytes of contender paths one session may carry. When a session ends, ZooKeeper (3.6 or later) writes all its
 * ephemeral nodes into one transaction; above about 2 MiB no server can read that back, and none starts again (H61).
 */
export class PathBudget {
  #used = 0;

  constructor(private readonly limit: number) {}

  get isUnused(): boolean {
    return this.#used === 0;
  }

  /** Takes `bytes`, if they fit. The first ones always do, so that no lock is impossible for its long path. */
  take(bytes: number): boolean {
    if (this.#used > 0 && this.#used + bytes > this.limit) return false;
    this.#used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
  }
}

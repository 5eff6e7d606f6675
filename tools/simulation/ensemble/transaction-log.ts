import type { Transaction } from '../../../lib/testing/transactions/transaction.js';

/** The transactions that a server has accepted, by zxid. They survive the death of its process as far as they are synced. */
export class TransactionLog {
  #entries: Transaction[] = [];
  #synced = 0;

  get entries(): readonly Transaction[] {
    return this.#entries;
  }

  get lastZxid(): bigint {
    return this.#entries.at(-1)?.zxid ?? 0n;
  }

  append(...transactions: readonly Transaction[]): void {
    this.#entries.push(...transactions);
  }

  /** Everything up to `zxid` is on disk. */
  synced(zxid: bigint): void {
    while (this.#synced < this.#entries.length && this.#entries[this.#synced]!.zxid <= zxid)
      this.#synced += 1;
  }

  /** The process has died: the operating system has lost nothing, but what was not written yet is gone. */
  loseUnsynced(): void {
    this.#entries.length = this.#synced;
  }

  /** How many entries have a zxid of at most `zxid`. */
  countUpTo(zxid: bigint): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle]!.zxid <= zxid) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many entries another server has too: what leaders that failed have left behind may differ in the middle. */
  countCommon(zxids: readonly bigint[]): number {
    const differs = this.#entries.findIndex(({ zxid }, index) => zxid !== zxids[index]);
    return differs === -1 ? this.#entries.length : differs;
  }

  /** The leader has not accepted what follows. */
  truncate(count: number): void {
    this.#entries.length = Math.min(this.#entries.length, count);
    this.#synced = Math.min(this.#synced, count);
  }
}

/** Totals of a store since its start. A total that the store does not count is left out. */
export interface StoreTotals {
  /** CPU time of all processes of the store, µs; only where the system has `/proc`. */
  readonly cpuMicros?: number;
  /** Packets from and to clients. */
  readonly packetsIn?: number;
  readonly packetsOut?: number;
  /** Transactions that were written to the log, which every server of an ensemble must store. */
  readonly writes?: number;
}

/** The servers on which subjects keep their locks. */
export interface Store extends AsyncDisposable {
  /** What a client connects to. */
  readonly address: string;
  totals(): Promise<StoreTotals>;
}

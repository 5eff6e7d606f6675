/** The results of one subject in one round. What does not apply, or cannot be measured, is left out. */
export interface Sample {
  /** What is compared with Curator: grants per second, or recoveries per second. */
  readonly speed: number;
  readonly grantsPerSecond?: number;
  /** From the request to the grant, ms. */
  readonly p50?: number;
  readonly p99?: number;
  /** Jain's index of the grants of the processes. */
  readonly jain?: number;
  /** CPU time for each grant, of all workers and of all servers, µs. */
  readonly clientCpu?: number;
  readonly serverCpu?: number;
  /** For each grant. */
  readonly packetsIn?: number;
  readonly packetsOut?: number;
  readonly writes?: number;
  /** From the kill to the next grant, ms, and as a multiple of the session timeout. */
  readonly recovery?: number;
  readonly timeouts?: number;
  /** Grants while another hold lasted. */
  readonly violations: number;
}

/**
 * `CLOCK_MONOTONIC`, ns: one clock for all processes of a machine, which Java and Python read too. A double is exact for
 * 104 days after boot.
 */
export function sharedNow(): number {
  return Number(process.hrtime.bigint());
}

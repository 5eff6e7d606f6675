/** The clock of a process may differ by this share from that of the history. */
export const DRIFT = 0.005;
/** Timers have whole milliseconds. */
export const ROUNDING_MS = 2;

/** How long a shutdown waits for the servers, for each of its steps, ms. */
export const CLOSE_TIMEOUT_MS = 2_000;

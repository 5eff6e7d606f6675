/** A seed that takes longer never ends: code that loops in microtasks stops the simulated clock, ms. */
export const HANG_MS = 300_000;

/** The failure of such a seed. */
export const HANG = 'hang';

/** A seed that takes longer never ends: code that loops in microtasks stops the simulated clock, ms. */
export const HANG_MS = 300_000;

/** The failure of such a seed. */
export const HANG = 'hang';

/** Calls back when a seed that begins now is found never to end. Returns the function that stops that. */
export type HangDetector = (hangs: () => void) => () => void;

export const detectHang: HangDetector = (hangs) => {
  const timer = setTimeout(hangs, HANG_MS);
  return () => clearTimeout(timer);
};

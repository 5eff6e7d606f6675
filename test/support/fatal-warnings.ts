/**
 * Warnings of Node that speak of a defect: listeners that pile up (H47), timers whose delay is none (H43). Whoever imports
 * this is ended by them, as by a rejection that nobody handles (H46).
 */
const FATAL: ReadonlySet<string> = new Set([
  'MaxListenersExceededWarning',
  'TimeoutNaNWarning',
  'TimeoutNegativeWarning',
  'TimeoutOverflowWarning',
]);

process.on('warning', (warning) => {
  if (FATAL.has(warning.name)) throw warning;
});

/**
 * Warnings of Node that indicate a defect: leaked listeners (H47), invalid timer delays (H43). In a process that
 * imports this file they are fatal, like unhandled rejections (H46).
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

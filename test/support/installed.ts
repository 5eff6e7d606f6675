/**
 * Whether all of these programs are installed; `npm run setup` installs them. In CI a missing program is an error,
 * because skipped tests would not be noticed.
 */
export function installed(...programs: (() => unknown)[]): boolean {
  const missing = programs.filter((find) => find() === undefined).map(({ name }) => name);
  if (missing.length === 0) return true;
  const message = `Skipped, because ${missing.join(', ')} cannot be found: run "npm run setup".`;
  if (process.env['CI'] !== undefined) throw new Error(message);
  // Not with `console`: its output is shown only for failed tests.
  process.stderr.write(`${message}\n`);
  return false;
}

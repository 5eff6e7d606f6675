/**
 * Whether all of these programs are there. Where nobody looks at what was skipped they must be: `npm run setup` installs
 * them.
 */
export function installed(...programs: (() => unknown)[]): boolean {
  const missing = programs.filter((find) => find() === undefined).map(({ name }) => name);
  if (missing.length === 0) return true;
  const message = `Skipped, because ${missing.join(', ')} cannot be found: run "npm run setup".`;
  if (process.env['CI'] !== undefined) throw new Error(message);
  // Not over the console: what tests log is shown only if they fail.
  process.stderr.write(`${message}\n`);
  return false;
}

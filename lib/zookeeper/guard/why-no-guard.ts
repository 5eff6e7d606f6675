/** In the environment of a guard. */
export const GUARD_MARK = 'NESTJS_LOCKED_GUARD';

const TURN_OFF = 'Turn the module option `crashGuard` off';

/** Why this process cannot have a guard, and what to do about that; undefined if it can. */
export function whyNoGuard(): string | undefined {
  if (isSingleExecutable())
    return `the executable of this process contains the application, and cannot run another program. ${TURN_OFF}`;
  if (process.env[GUARD_MARK] !== undefined)
    return `'${process.execPath}', which should run the guard of another process, has started the application again. ${TURN_OFF}`;
  if (process.versions['pnp'] !== undefined)
    return `with Yarn Plug'n'Play it cannot load its packages. Set \`nodeLinker: node-modules\` in .yarnrc.yml. Or else: ${TURN_OFF}`;
  return undefined;
}

/** Older versions of Node cannot tell. */
function isSingleExecutable(): boolean {
  const { process: running }: { process: { getBuiltinModule?(id: string): unknown } } = globalThis;
  const sea = running.getBuiltinModule?.('node:sea') as { isSea(): boolean } | undefined;
  return sea?.isSea() === true;
}

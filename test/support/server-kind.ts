/** The servers that a spec may start. `vitest.config.ts` determines it from the suffix of the spec's name. */
export type ServerKind = 'none' | 'embedded' | 'real';

/** Undefined in programs that were not started by a spec. */
export const serverKind = process.env['TEST_SERVER'] as ServerKind | undefined;

/** @throws Error if the name of the running spec does not declare a server of one of these kinds */
export function requireServerKind(accepted: readonly ServerKind[], specName: string): void {
  if (serverKind === undefined || accepted.includes(serverKind)) return;
  throw new Error(
    `This server starts only in specs that are named ${specName}; CONTRIBUTING.md lists the names.`,
  );
}

/** The servers that a spec may start; see `declared-server.ts`. */
export type ServerKind = 'none' | 'embedded' | 'real';

/** Undefined in programs that were not started by a spec. */
export function serverKind(): ServerKind | undefined {
  return process.env['TEST_SERVER'] as ServerKind | undefined;
}

/** @throws Error if the name of the running spec does not declare a server of one of these kinds */
export function requireServerKind(accepted: readonly ServerKind[], specName: string): void {
  const kind = serverKind();
  if (kind === undefined || accepted.includes(kind)) return;
  throw new Error(
    `This server starts only in specs that are named ${specName}; CONTRIBUTING.md lists the names.`,
  );
}

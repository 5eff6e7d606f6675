/** Mutants of code, or of hazards, that a simulation does not reach, and why. */
export const NOT_SIMULATED: ReadonlyMap<string, string> = new Map([]);

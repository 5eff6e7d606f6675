/** Some names of servers could not be turned into addresses. */
export class LookupError extends Error {
  /** @param reasons by name: the code of the resolver, or whatever is known */
  constructor(
    readonly reasons: ReadonlyMap<string, string>,
    options?: { readonly cause?: unknown },
  ) {
    super(describe([...reasons]), options);
    this.name = LookupError.name;
  }

  get names(): string {
    return [...this.reasons.keys()].join(', ');
  }
}

function describe(reasons: readonly (readonly [name: string, reason: string])[]): string {
  const [first] = reasons;
  if (reasons.length === 1) return `the host name ${first![0]} could not be looked up (${first![1]})`;
  const list = reasons.map(([name, reason]) => `${name} (${reason})`).join(', ');
  return `the host names ${list} could not be looked up`;
}

const ATTEMPT = /^p\d+\.\d+#\d+$/;

/** The process of an actor or of an attempt: `p3.2#17` and `p3.2` are of `p3`. */
export function processOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** The actor of an attempt: `p3.2#17` is of `p3.2`. */
export function actorOf(attempt: string): string {
  return attempt.slice(0, attempt.indexOf('#'));
}

/** The attempt that an event or a contender is of: one of these is its name. */
export function attemptOf({ owner, purpose }: { owner?: string; purpose?: string }): string | undefined {
  return [owner, purpose].find((name) => name !== undefined && ATTEMPT.test(name));
}

const ATTEMPT = /^p\d+\.\d+#\d+$/;

/** The process of an actor or of an attempt: `p3` for `p3.2` and for `p3.2#17`. */
export function processOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** The actor of an attempt: `p3.2` for `p3.2#17`. */
export function actorOf(attempt: string): string {
  return attempt.slice(0, attempt.indexOf('#'));
}

/** The attempt of an event or of a contender, whose `owner` or `purpose` is the name of the attempt. */
export function attemptOf({ owner, purpose }: { owner?: string; purpose?: string }): string | undefined {
  return [owner, purpose].find((name) => name !== undefined && ATTEMPT.test(name));
}

const ATTEMPT = /^p\d+\.\d+#\d+(?:\+*\/?|~)$/;
/** Between the name of a call for several locks and the name of one of them. */
const OF_SEVERAL = '/';

/** What the library is told as the name of a call for several locks: one name for all of them. */
export function nameOfSeveral(call: string): string {
  return call + OF_SEVERAL;
}

/** One lock of a call for several is an attempt of its own: `p3.2#17/orders`. */
export function memberOf(call: string, resource: string): string {
  return nameOfSeveral(call) + resource;
}

/** Between the name of a candidate and the number of one of its rounds. */
const OF_ROUND = '~';

/** What the library is told as the name of a candidate. Events have this name, whatever the round. */
export function nameOfCandidate(call: string): string {
  return call + OF_ROUND;
}

/** A candidate waits and leads again and again. Each time is an attempt of its own: the second one is `p3.2#17~2`. */
export function roundOf(call: string, round: number): string {
  return nameOfCandidate(call) + round;
}

/** The candidate that the attempt is a round of, as the library knows it; undefined if it is none. */
export function candidateOf(attempt: string): string | undefined {
  const end = attempt.indexOf(OF_ROUND);
  return end < 0 ? undefined : attempt.slice(0, end + 1);
}

/** A call inside the work of another one: `p3.2#17+` inside that of `p3.2#17`. */
export function nestedIn(call: string): string {
  return `${call}+`;
}

/** The name of a request to release a lock: `p3.2?3`. */
export function requestOf(actor: string, number: number): string {
  return `${actor}?${number}`;
}

/** The call for several locks that the attempt is a part of; undefined if it is for one lock. */
export function callOf(attempt: string): string | undefined {
  const end = attempt.indexOf(OF_SEVERAL);
  return end < 0 ? undefined : attempt.slice(0, end);
}

/** The process of an actor or of an attempt: `p3` for `p3.2` and for `p3.2#17`. */
export function processOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** The actor of an attempt: `p3.2` for `p3.2#17`. */
export function actorOf(attempt: string): string {
  return attempt.slice(0, attempt.indexOf('#'));
}

/** The attempt of an event or of a contender of `resource`, whose `owner` or `purpose` is the name of the call. */
export function attemptOf(
  { owner, purpose }: { owner?: string; purpose?: string },
  resource: string,
): string | undefined {
  const name = [owner, purpose].find((given) => given !== undefined && ATTEMPT.test(given));
  return name?.endsWith(OF_SEVERAL) === true ? name + resource : name;
}

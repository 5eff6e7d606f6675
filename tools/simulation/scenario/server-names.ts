import type { Scenario } from './scenario.js';

/** The numbers of the servers of the second ensemble begin behind this one, so that all names differ. */
export const LAST_OF_FIRST = 10;

/** The names of the servers of each ensemble: `s1`, `s2`, ... of the first one, `s11`, `s12`, ... of the second. */
export function serverNames({
  ensemble,
  second,
}: Pick<Scenario, 'ensemble' | 'second'>): readonly (readonly string[])[] {
  const first = namesAfter(0, ensemble.size);
  return second === undefined ? [first] : [first, namesAfter(LAST_OF_FIRST, second.size)];
}

export function isOfSecond(server: string): boolean {
  return Number(server.slice(1)) > LAST_OF_FIRST;
}

function namesAfter(number: number, size: number): readonly string[] {
  return Array.from({ length: size }, (_, index) => `s${number + index + 1}`);
}

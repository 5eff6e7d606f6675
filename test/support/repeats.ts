/** The number of runs of a randomized scenario: the environment variable `REPEATS` if set, otherwise `usual`. */
export function repeats(usual: number): number {
  const { REPEATS } = process.env;
  return REPEATS === undefined ? usual : Number(REPEATS);
}

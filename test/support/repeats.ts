/** How often a scenario with chance in it runs: `REPEATS` for a thorough run, `usual` otherwise. */
export function repeats(usual: number): number {
  const { REPEATS } = process.env;
  return REPEATS === undefined ? usual : Number(REPEATS);
}

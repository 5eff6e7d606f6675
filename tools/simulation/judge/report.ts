import type { Judgement } from './judge-mutant.js';

/** One line for a mutant: in how many of the searches it was found, after how many seeds, and by what. */
export function describe({ mutant: name, profile, seeds, inVain, first }: Judgement): string {
  const mutant = profile === undefined ? name : `${name} (in runs of '${profile}')`;
  if (first === undefined) return `NOT FOUND  ${mutant}: nothing in ${inVain} seeds`;
  const sorted = [...seeds].sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)]!;
  const missed = inVain === 0 ? '' : `, and nothing in ${inVain} other seeds`;
  const sentence = first.sentence.split('\n').slice(0, 2).join(' ').slice(0, 200);
  return (
    `found      ${mutant}: ${median} seeds (${sorted[0]} to ${sorted.at(-1)}, ${seeds.length} searches${missed})\n` +
    `           ${first.how}: ${sentence}`
  );
}

import { median } from '../measure/statistics.js';

/** One measured operation on a key. */
export type Operation = (key: string) => Promise<unknown>;

/** Operations per second in one window, on `parallel` keys concurrently. */
async function rate(operation: Operation, parallel: number, windowMs: number): Promise<number> {
  let count = 0;
  const start = performance.now();
  const worker = async (key: string): Promise<void> => {
    while (performance.now() - start < windowMs) {
      await operation(key);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, (_, i) => worker(`key-${i}`)));
  return (count * 1_000) / (performance.now() - start);
}

export interface Comparison {
  readonly subject: number;
  readonly reference: number;
  readonly ratio: { readonly min: number; readonly median: number; readonly max: number };
}

export interface CompareOptions {
  readonly parallel: number;
  readonly rounds: number;
  readonly windowMs: number;
}

/** Measures both alternately, because adjacent windows see the same noise. The first round is a warm-up. */
export function compare(
  subject: Operation,
  reference: Operation,
  { parallel, rounds, windowMs }: CompareOptions,
): Promise<Comparison> {
  return compareInTurn(
    () => rate(subject, parallel, windowMs),
    () => rate(reference, parallel, windowMs),
    rounds,
  );
}

/** Measures two numbers alternately. */
export async function compareInTurn(
  subject: () => Promise<number>,
  reference: () => Promise<number>,
  rounds: number,
): Promise<Comparison> {
  const pairs: { subject: number; reference: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const pair = { subject: await subject(), reference: await reference() };
    if (round > 0) pairs.push(pair);
  }
  return comparison(pairs);
}

function comparison(pairs: readonly { subject: number; reference: number }[]): Comparison {
  const ratios = pairs.map((pair) => pair.subject / pair.reference).toSorted((a, b) => a - b);
  return {
    subject: median(pairs.map((pair) => pair.subject)),
    reference: median(pairs.map((pair) => pair.reference)),
    ratio: { min: ratios[0]!, median: median(ratios), max: ratios.at(-1)! },
  };
}

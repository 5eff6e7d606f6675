export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

export function summarize(values: readonly number[]): Summary {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The smallest value that at least this share of the values does not exceed: the nearest rank. */
export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/** Jain's index of fairness: 1 if all parts are equal, 1/n if one of n has everything. */
export function jainIndex(parts: readonly number[]): number {
  const sum = parts.reduce((total, part) => total + part, 0);
  const squares = parts.reduce((total, part) => total + part * part, 0);
  return squares === 0 ? 1 : (sum * sum) / (parts.length * squares);
}

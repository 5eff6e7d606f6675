import { randomUUID } from 'node:crypto';

/** The only source of randomness. */
export interface RandomSource {
  /** In [0, 1). */
  fraction(): number;
  /** Version 4, lower case, with dashes. */
  uuid(): string;
}

export const systemRandom: RandomSource = {
  fraction: () => Math.random(),
  uuid: () => randomUUID(),
};

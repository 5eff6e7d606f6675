import { CLOSED_MUTANTS } from './closed-mutants.js';
import { COMPOSED_MUTANTS } from './composed-mutants.js';
import { FENCING_MUTANTS } from './fencing-mutants.js';
import { FLOW_MUTANTS } from './flow-mutants.js';
import { FORMER_HEAD_MUTANTS } from './former-head-mutants.js';
import { LOCAL_QUEUE_MUTANTS } from './local-queue-mutants.js';
import { LOCKING_MUTANTS } from './locking-mutants.js';
import { MODE_MUTANTS } from './mode-mutants.js';
import { RECIPE_MUTANTS } from './recipe-mutants.js';
import type { Mutant } from './mutant.js';
import { SCHEDULE_MUTANTS } from './schedule-mutants.js';
import { SESSION_MUTANTS } from './session-mutants.js';
import { SIMPLE_MUTANTS } from './simple-mutants.js';
import { SPREAD_MUTANTS } from './spread-mutants.js';
import { TIMING_MUTANTS } from './timing-mutants.js';

export const MUTANTS: readonly Mutant[] = [
  ...RECIPE_MUTANTS,
  ...FORMER_HEAD_MUTANTS,
  ...SESSION_MUTANTS,
  ...FLOW_MUTANTS,
  ...LOCKING_MUTANTS,
  ...LOCAL_QUEUE_MUTANTS,
  ...MODE_MUTANTS,
  ...SIMPLE_MUTANTS,
  ...COMPOSED_MUTANTS,
  ...CLOSED_MUTANTS,
  ...TIMING_MUTANTS,
  ...FENCING_MUTANTS,
  ...SCHEDULE_MUTANTS,
  ...SPREAD_MUTANTS,
];

/** @throws Error if there is no mutant of one of the names */
export function mutantsNamed(names: readonly string[]): readonly Mutant[] {
  const unknown = names.find((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown !== undefined) throw new Error(`There is no mutant '${unknown}'`);
  return MUTANTS.filter(({ name }) => names.includes(name));
}

import { FLOW_SABOTAGES } from './flow-mutants.js';
import { LOCKING_SABOTAGES } from './locking-mutants.js';
import { QUEUE_SABOTAGES } from './recipe-mutants.js';
import type { Sabotage } from './mutant.js';
import { SESSION_SABOTAGES } from './session-mutants.js';

export const SABOTAGES: readonly Sabotage[] = [
  ...QUEUE_SABOTAGES,
  ...SESSION_SABOTAGES,
  ...FLOW_SABOTAGES,
  ...LOCKING_SABOTAGES,
];

import { FLOW_SABOTAGES } from './flow-sabotages.js';
import { LOCKING_SABOTAGES } from './locking-sabotages.js';
import { QUEUE_SABOTAGES } from './queue-sabotages.js';
import type { Sabotage } from './sabotage.js';
import { SESSION_SABOTAGES } from './session-sabotages.js';

export const SABOTAGES: readonly Sabotage[] = [
  ...QUEUE_SABOTAGES,
  ...SESSION_SABOTAGES,
  ...FLOW_SABOTAGES,
  ...LOCKING_SABOTAGES,
];

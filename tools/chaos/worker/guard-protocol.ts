import type { GuardedWrite } from '../history/chaos-history.js';

/** What a guard is told at its start; JSON. */
export interface GuardSettings {
  readonly journal: string;
}

export interface GuardMessage {
  readonly type: 'listening';
  readonly port: number;
}

/** One line to the guard. */
export interface WriteRequest extends Omit<GuardedWrite, 'at' | 'accepted'> {
  readonly id: number;
}

/** One line back. */
export interface WriteReply {
  readonly id: number;
  readonly accepted: boolean;
}

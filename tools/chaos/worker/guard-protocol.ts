import type { GuardedWrite } from '../../history/run-history.js';

/** The argument of the guard process; JSON. */
export interface GuardSettings {
  readonly journal: string;
}

export interface GuardMessage {
  readonly type: 'listening';
  readonly port: number;
}

/** A line sent to the guard. */
export interface WriteRequest extends Omit<GuardedWrite, 'at' | 'accepted'> {
  readonly id: number;
}

/** A line received from the guard. */
export interface WriteReply {
  readonly id: number;
  readonly accepted: boolean;
}

import type { LossReason } from '../../locking/errors/lock-lost.error.js';
import type { SessionEnd } from '../session-observer.interface.js';

/** Why a lock is lost with its session, or with the last one. */
export const SESSION_LOSS: Readonly<Record<SessionEnd, LossReason>> = {
  expired: 'session',
  authenticationFailed: 'authentication',
  closed: 'shutdown',
};

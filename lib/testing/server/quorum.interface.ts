import type { Session } from '../sessions/session-table.js';
import type { Proposal, Transaction, TransactionResult } from '../transactions/transaction.js';

export type Applied = (result: TransactionResult) => void;

/** Decides on all changes and on the life of all sessions: a single server by itself, or the leader of an ensemble. */
export interface Quorum {
  /** Calls back when the change has been applied to this server; never if it stops before. */
  commit(proposal: Proposal, applied: Applied): void;
  /** Calls back when everything that was committed before has been applied to this server. */
  sync(synced: () => void): void;
  /** Extends a session after a request; false if there is no such session. */
  touch(session: bigint): boolean;
  /** Calls back whether the session is alive. If it is, it goes on at this server with a new timeout, ms. */
  resume(session: Session, timeout: number, resumed: (alive: boolean) => void): void;
  /** When each session expires, by the monotonic clock; empty where another server decides. */
  readonly sessionEnds: ReadonlyMap<Session, number>;
  start(): void;
  stop(): void;
}

/** A server, as its quorum sees it. */
export interface QuorumMember {
  /** Transactions are to be applied in the order of their zxids. */
  apply(transaction: Transaction, applied?: Applied): void;
}

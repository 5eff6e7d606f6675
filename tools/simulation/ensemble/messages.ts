import type { Proposal, Transaction } from '../../../lib/testing/transactions/transaction.js';

/** Which request of which server a transaction answers. */
export interface Origin {
  readonly server: number;
  readonly request: number;
}

/** The origin of a proposal, as its leader knows it. */
export interface ProposalOrigin extends Origin {
  /** That has asked for a change. */
  readonly session: bigint | undefined;
}

export type ToLeader =
  /** A follower that has these transactions asks to be brought up to date. */
  | { readonly kind: 'join'; readonly zxids: readonly bigint[] }
  /** Everything up to `zxid` is on the follower's disk. */
  | { readonly kind: 'ack'; readonly zxid: bigint }
  | { readonly kind: 'request'; readonly request: number; readonly proposal: Proposal }
  | { readonly kind: 'sync'; readonly request: number }
  | {
      readonly kind: 'revalidate';
      readonly request: number;
      readonly session: bigint;
      /** ms */
      readonly timeout: number;
    }
  /** The sessions that have sent requests since the last one, and their timeouts, ms. */
  | { readonly kind: 'pong'; readonly touched: readonly (readonly [session: bigint, timeout: number])[] };

export type ToFollower =
  /** The follower drops what it has after `after`, which the leader never had, and accepts what it lacks. */
  | { readonly kind: 'history'; readonly after: bigint; readonly transactions: readonly Transaction[] }
  /** The follower may serve clients. */
  | { readonly kind: 'upToDate'; readonly committed: bigint }
  | { readonly kind: 'propose'; readonly transaction: Transaction; readonly origin: Origin }
  | { readonly kind: 'commit'; readonly zxid: bigint }
  | { readonly kind: 'synced'; readonly request: number }
  | { readonly kind: 'revalidated'; readonly request: number; readonly alive: boolean }
  | { readonly kind: 'ping' };

/** Sends messages in order, to the other end of one connection between two servers. */
export interface Peer<T> {
  send(message: T): void;
  /** Closes the connection and tells the other end. */
  close(): void;
}

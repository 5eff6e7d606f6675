import type { LockOptions } from '../lock-options.js';

/** This replica leads. @publicApi */
export interface Leading {
  readonly leader: true;
  /** Larger than that of every earlier leader. */
  readonly fencingToken: bigint;
  /** Aborts the moment the leadership ends: with a `LockLostError`, or with a `LockClosedError` when the service closes. */
  readonly signal: AbortSignal;
}

/** Another replica leads, or none. @publicApi */
export interface Following {
  readonly leader: false;
  /** Who led when this replica began to wait, if that is known. `inspect()` tells who leads now. */
  readonly owner: string | undefined;
}

/** Whether this replica leads. @publicApi */
export type Leadership = Leading | Following;

/** Options of `LockService.lead`. @publicApi */
export type LeadOptions = Pick<LockOptions, 'owner' | 'purpose'>;

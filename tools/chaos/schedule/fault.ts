import type { FaultAction } from '../../../test/support/fault-rules.js';
import type { LinkDirection } from '../../../test/support/tcp-link.js';

/** A fault of the connections between one process and all servers. Durations of all faults are in ms. */
export type NetworkFault =
  | { readonly kind: 'cut' | 'reset' }
  | { readonly kind: 'blackHole'; readonly ms: number }
  | { readonly kind: 'delay'; readonly ms: number; readonly by: number }
  /** Cuts the next reply after this number of bytes; waits up to `ms` for a reply. */
  | { readonly kind: 'midPacketCut'; readonly bytes: number; readonly ms: number }
  /** Strikes the n-th frame of an operation; waits up to `ms` for it. */
  | {
      readonly kind: 'frameFault';
      readonly operation: string;
      readonly action: FaultAction;
      readonly occurrence: number;
      readonly ms: number;
    };

/** A fault of one process or of its session. */
export type ProcessFault =
  | { readonly kind: 'sessionExpiry' }
  /** SIGSTOP, and SIGCONT after `ms`. */
  | { readonly kind: 'stop'; readonly ms: number }
  /** Blocks the event loop. */
  | { readonly kind: 'block'; readonly ms: number }
  /** SIGKILL, or a graceful shutdown as after SIGTERM; the next incarnation starts after `ms`. */
  | { readonly kind: 'kill' | 'shutdown'; readonly ms: number };

/** Servers are numbered from 1; a role is resolved when the fault is injected. */
export type ServerFault =
  | { readonly kind: 'serverKill'; readonly server: number; readonly ms: number }
  | { readonly kind: 'serverPause'; readonly server: number; readonly ms: number }
  | { readonly kind: 'leaderKill' | 'ensembleRestart'; readonly ms: number }
  /** All but this server are killed. */
  | { readonly kind: 'quorumLoss'; readonly survivor: number; readonly ms: number };

/** A fault of the link between a follower and the leader; followers are numbered from 1. */
export type LinkFault =
  | {
      readonly kind: 'linkStall';
      readonly follower: number;
      readonly directions: readonly LinkDirection[];
      readonly ms: number;
    }
  /** Acknowledgements are delayed for `ms`, then arrive together while nothing reaches the leader for `thenMs`. */
  | { readonly kind: 'doubleStall'; readonly follower: number; readonly ms: number; readonly thenMs: number };

/**
 * A fault of the process that holds a resource: it is cut off while others wait, or killed in a quiet period, so that no
 * other fault delays the next holder.
 */
export interface HolderFault {
  readonly kind: 'holderBlackHole' | 'holderKill';
  readonly resource: string;
  readonly ms: number;
}

export type Fault =
  | ({ readonly on: 'network' } & NetworkFault & { readonly process: number })
  | ({ readonly on: 'process' } & ProcessFault & { readonly process: number })
  | ({ readonly on: 'servers' } & ServerFault)
  | ({ readonly on: 'links' } & LinkFault)
  | ({ readonly on: 'holder' } & HolderFault);

export interface PlannedFault {
  /** ms since the start of the run. */
  readonly at: number;
  /** Faults of one lane follow one another, those of different lanes overlap. */
  readonly lane: string;
  readonly fault: Fault;
}

/** The planned duration of a fault, without the time that a server needs to restart. */
export function plannedDuration(fault: Fault): number {
  return ('ms' in fault ? fault.ms : 0) + ('thenMs' in fault ? fault.thenMs : 0);
}

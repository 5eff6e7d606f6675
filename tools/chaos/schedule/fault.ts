import type { FaultAction } from '../../../test/support/fault-rules.js';
import type { LinkDirection } from '../../../test/support/tcp-link.js';

/** What happens on the way between one process and all servers. Durations are in ms everywhere. */
export type NetworkFault =
  | { readonly kind: 'cut' | 'reset' }
  | { readonly kind: 'blackHole'; readonly ms: number }
  | { readonly kind: 'delay'; readonly ms: number; readonly by: number }
  /** So many bytes of the next reply pass; waits for one for `ms`. */
  | { readonly kind: 'midPacketCut'; readonly bytes: number; readonly ms: number }
  /** Strikes the n-th frame of an operation; waits for it for `ms`. */
  | {
      readonly kind: 'frameFault';
      readonly operation: string;
      readonly action: FaultAction;
      readonly occurrence: number;
      readonly ms: number;
    };

/** What happens to one process, or to its session. */
export type ProcessFault =
  | { readonly kind: 'sessionExpiry' }
  /** SIGSTOP, and SIGCONT after `ms`. */
  | { readonly kind: 'stop'; readonly ms: number }
  /** The event loop stands still. */
  | { readonly kind: 'block'; readonly ms: number }
  /** SIGKILL, or what an application does after SIGTERM; and another life after `ms`. */
  | { readonly kind: 'kill' | 'shutdown'; readonly ms: number };

/** Servers are numbered from 1; a role is resolved when the fault happens. */
export type ServerFault =
  | { readonly kind: 'serverKill'; readonly server: number; readonly ms: number }
  | { readonly kind: 'serverPause'; readonly server: number; readonly ms: number }
  | { readonly kind: 'leaderKill' | 'ensembleRestart'; readonly ms: number }
  /** All but this server are killed. */
  | { readonly kind: 'quorumLoss'; readonly survivor: number; readonly ms: number };

/** What happens between a follower and its leader; followers are numbered from 1. */
export type LinkFault =
  | {
      readonly kind: 'linkStall';
      readonly follower: number;
      readonly directions: readonly LinkDirection[];
      readonly ms: number;
    }
  /** Acknowledgements are kept back for `ms`, then arrive together while nothing reaches the leader for `thenMs`. */
  | { readonly kind: 'doubleStall'; readonly follower: number; readonly ms: number; readonly thenMs: number };

/**
 * What happens to the process that holds a resource: it is cut off, while others wait; or killed in a lull, so that
 * nothing else delays its successor.
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
  /** Faults of one lane come one after the other, those of different lanes overlap. */
  readonly lane: string;
  readonly fault: Fault;
}

/** How long a fault lasts as planned. What a server needs to come back is extra. */
export function plannedDuration(fault: Fault): number {
  return ('ms' in fault ? fault.ms : 0) + ('thenMs' in fault ? fault.thenMs : 0);
}

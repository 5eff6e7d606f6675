/** What a fault strikes: processes, their networks, the holder of a resource, a contender, servers or their links. */
export type FaultPlace = 'network' | 'process' | 'holder' | 'contender' | 'servers' | 'links';

/**
 * A fault that was injected. Three kinds end holds that no lock could keep, so the checker has exceptions for them:
 *
 * - `sessionExpiry`: a duplicate ended the session of a process, and with it all holds but those that fail closed. Only
 *   chaos has this one;
 * - `contenderDeletion`: an operator deleted the contender of an attempt;
 * - `dataLoss`: the servers lost their data, and with it all contenders and the order of the tokens.
 */
export interface FaultRecord {
  readonly on: FaultPlace;
  readonly kind: string;
  /** Processes (`p3`) and servers (`s1`). */
  readonly targets: readonly string[];
  /** Of `contenderDeletion`: who created the contender. */
  readonly attempt?: string;
  /** Of `contenderDeletion`, where known: the first token that the contender can have. */
  readonly token?: bigint;
  /** Of `contenderDeletion`, for a lock without a queue: its resource. The holder may free the lock of the next one then. */
  readonly resource?: string;
  readonly from: bigint;
  /** Its effects are undone, or have reached all servers. */
  readonly to: bigint;
  /** False if the fault had no target. */
  readonly struck: boolean;
  readonly detail: string;
  /** The delay of the injection from the planned time, ms. */
  readonly late: number;
}

/**
 * A fault, at a time. Hosts are `p1`, `p2`, ... for processes and `s1`, `s2`, ... for servers. Durations are in ms; what has
 * one is undone at its end.
 */
export type Fault =
  /** Nothing gets through in this direction, and nothing is lost. */
  | { readonly kind: 'stall'; readonly from: string; readonly to: string; readonly ms: number }
  | {
      readonly kind: 'slow';
      readonly from: string;
      readonly to: string;
      readonly by: number;
      readonly ms: number;
    }
  /** So few bytes get through in this direction. */
  | {
      readonly kind: 'narrow';
      readonly from: string;
      readonly to: string;
      readonly bytesPerMs: number;
      readonly ms: number;
    }
  /** Every connection between the two is reset. */
  | { readonly kind: 'reset'; readonly from: string; readonly to: string }
  /** A firewall forgets every connection between the two: nothing passes on them any more, and nobody is told. */
  | { readonly kind: 'forget'; readonly from: string; readonly to: string }
  /** The next connection that carries data passes so many more bytes, then it is reset. */
  | { readonly kind: 'cut'; readonly from: string; readonly to: string; readonly bytes: number }
  /** Nothing reaches the process, or nothing it sends gets through; then that is lost, and its connections are reset. */
  | {
      readonly kind: 'lose';
      readonly host: string;
      readonly what: 'requests' | 'replies';
      readonly ms: number;
    }
  /** A firewall rejects the connect requests of a process to a server. */
  | { readonly kind: 'refuse'; readonly from: string; readonly to: string; readonly ms: number }
  /** Between a process and a server, as `forget` and `cut`. */
  | { readonly kind: 'swallowFin'; readonly from: string; readonly to: string; readonly ms: number }
  /** SIGSTOP, and SIGCONT at the end. */
  | { readonly kind: 'pause'; readonly host: string; readonly ms: number }
  /** The event loop is blocked. */
  | { readonly kind: 'block'; readonly host: string; readonly ms: number }
  /** The thread is descheduled between two instructions, when it has read a clock so many more times. */
  | { readonly kind: 'preempt'; readonly host: string; readonly ms: number; readonly reads: number }
  | { readonly kind: 'wallStep'; readonly host: string; readonly by: number }
  /** SIGKILL. The host starts again at the end. */
  | { readonly kind: 'kill'; readonly host: string; readonly ms: number }
  /** The application closes its lock service. The process starts again at the end, or when it has ended. */
  | { readonly kind: 'close'; readonly host: string; readonly ms: number }
  /** A server is cut off from all other servers; clients still reach it. */
  | { readonly kind: 'isolate'; readonly host: string; readonly ms: number }
  /** These hosts reach each other, and nobody else. */
  | { readonly kind: 'partition'; readonly hosts: readonly string[]; readonly ms: number }
  /** Transactions take up to `by` ms to reach the disk of a server. */
  | { readonly kind: 'slowDisk'; readonly host: string; readonly by: number; readonly ms: number }
  /** An overloaded server refuses that share of the requests. */
  | { readonly kind: 'throttle'; readonly host: string; readonly share: number; readonly ms: number }
  /** The server that leads an ensemble at this moment is killed, and starts again at the end. @default the first one */
  | { readonly kind: 'killLeader'; readonly ofSecond?: boolean; readonly ms: number }
  /** These servers of an ensemble, so many that the others are no quorum, are killed; they start again at the end. */
  | { readonly kind: 'loseQuorum'; readonly hosts: readonly string[]; readonly ms: number }
  /** All servers of all ensembles are killed; they start again at the end, with or without their data. */
  | { readonly kind: 'restartAll'; readonly ms: number; readonly keepsData: boolean }
  /** The process that holds the resource at this moment, and whom others may wait for. */
  | { readonly kind: 'cutOffHolder'; readonly resource: string; readonly ms: number }
  /** The same process, with the servers it is connected to: cut off from all others. */
  | { readonly kind: 'partitionHolder'; readonly resource: string; readonly ms: number }
  /**
   * The same process, if two heartbeats come in time. From the first one on, what the leader sends to its server is late by
   * `late`. From the second one on, the leader hears nothing from that server for so long as `away`, and the process reaches no
   * other server.
   */
  | {
      readonly kind: 'lateTouch';
      readonly resource: string;
      readonly ms: number;
      readonly late: number;
      readonly away: number;
    }
  | { readonly kind: 'pauseHolder'; readonly resource: string; readonly ms: number }
  | { readonly kind: 'killHolder'; readonly resource: string; readonly ms: number }
  /**
   * The process that is next in the queue: when the lock has been released, its thread is descheduled between two
   * instructions, when it has read a clock so many more times.
   */
  | {
      readonly kind: 'preemptNext';
      readonly resource: string;
      readonly ms: number;
      readonly reads: number;
    }
  /** The next change of this kind in the queue of a resource, if it comes in time: its caller gives up before it hears of it. */
  | {
      readonly kind: 'abortUnheard';
      readonly resource: string;
      readonly change: QueueChange;
      readonly ms: number;
    }
  /** The same, but the connections of the process are reset, and it reaches nobody for so long. */
  | {
      readonly kind: 'loseAnswer';
      readonly resource: string;
      readonly change: QueueChange;
      readonly ms: number;
      readonly away: number;
    }
  /** The same, but the process is stopped for so long, and then reaches nobody for so long. */
  | {
      readonly kind: 'pauseUnheard';
      readonly resource: string;
      readonly change: QueueChange;
      readonly ms: number;
      readonly stopped: number;
      readonly away: number;
    }
  /** An operator deletes the first contender of a resource. From then on, its process reaches nobody for so long. @default 0 */
  | { readonly kind: 'deleteContender'; readonly resource: string; readonly away?: number }
  /** A client of another library queues for a resource with a name that begins so, and leaves at the end. */
  | {
      readonly kind: 'foreign';
      readonly resource: string;
      readonly name: string;
      /** Nobody else may read its nodes. @default false */
      readonly isPrivate?: boolean;
      readonly ms: number;
    };

/**
 * What happens to the nodes of a resource: a new one comes, the data of one change, as when a closed lock is taken over, one
 * goes, or only the sign of a holder, whose closed lock stays.
 */
export type QueueChange = 'join' | 'takeOver' | 'leave' | 'giveUp';

export type FaultKind = Fault['kind'];

/** Those that a kind of fault has, ms. */
interface Durations {
  readonly kind: FaultKind;
  readonly ms?: number;
  readonly stopped?: number;
  readonly away?: number;
}

export interface PlannedFault {
  /** ms since the start of the run. */
  readonly at: number;
  readonly fault: Fault;
}

/** At most so long after its time, a fault has no effect any more, ms. */
export function longestEffect(fault: Fault): number {
  const { ms = 0, stopped = 0, away = 0 }: Durations = fault;
  return ms + stopped + away;
}

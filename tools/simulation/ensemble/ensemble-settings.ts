/** Durations are in ms. */
export interface EnsembleSettings {
  readonly tickTime: number;
  /** How long a leader and its followers may be out of touch, in ticks. */
  readonly syncLimit: number;
  /** How long a new leader may take to bring a quorum up to date, in ticks. */
  readonly initLimit: number;
  readonly minSessionTimeout: number;
  readonly maxSessionTimeout: number;
  readonly containerCheckInterval: number;
  /** Servers before 3.5.3 have no container nodes. */
  readonly containers: boolean;
  /** Servers since 3.8.4 and 3.9.2 do not answer whether a node exists to those who may not read it. */
  readonly hidesStats: boolean;
  /** `jute.maxbuffer` of a real server. */
  readonly maxFrameBytes: number;
  /** How long a transaction takes to reach the disk. */
  readonly syncDelay: { readonly min: number; readonly max: number };
  /** How long a follower takes to apply what has been committed. */
  readonly applyDelay: { readonly min: number; readonly max: number };
  /** How long servers without a leader take to find one. */
  readonly electionDelay: { readonly min: number; readonly max: number };
  /** Of the requests, those that a server refuses because it is overloaded. */
  readonly throttledShare: number;
}

/** As in the tests on real servers. */
export const DEFAULT_SETTINGS: EnsembleSettings = {
  tickTime: 500,
  syncLimit: 10,
  initLimit: 20,
  minSessionTimeout: 1_000,
  maxSessionTimeout: 40_000,
  containerCheckInterval: 1_000,
  containers: true,
  hidesStats: false,
  maxFrameBytes: 0xfffff,
  syncDelay: { min: 0.05, max: 1 },
  applyDelay: { min: 0, max: 0.5 },
  electionDelay: { min: 200, max: 600 },
  throttledShare: 0,
};

/** As much of a lock service as a run uses, so that a sabotaged lock can take its place. */
export interface ChaosLocks {
  lock(resource: string, options: ChaosLockOptions): Promise<ChaosHold>;
  tryLock(resource: string, options: ChaosLockOptions): Promise<ChaosHold | null>;
  withLock<T>(resource: string, options: ChaosLockOptions, work: (held: ChaosHold) => Promise<T>): Promise<T>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

export interface ChaosLockOptions {
  readonly wait?: number;
  readonly ttl: number;
  readonly minHold: number;
  readonly signal?: AbortSignal;
  /** The name of the attempt, which makes the library's events tell it. */
  readonly owner: string;
}

export interface ChaosHold extends AsyncDisposable {
  readonly resource: string;
  readonly fencingToken: bigint;
  readonly signal: AbortSignal;
  isHeld(): boolean;
  release(): Promise<boolean>;
}

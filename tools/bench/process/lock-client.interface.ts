import type { KindName } from '../kinds.js';

export interface ClientSettings {
  /** What the client connects to: a connect string or a URL. */
  readonly address: string;
  /** The path of the directory, or the prefix, of all keys of the subject. */
  readonly root: string;
  /** After this time without a sign of life the lock of a process is free, ms. */
  readonly sessionTimeout: number;
  /** Options of the lock service, for the client `ours`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The kind of its locks, for the client `ours`. */
  readonly kind: KindName;
}

/** A lock library, as a worker uses it. */
export interface LockClient {
  /** Creates what the key needs, before the measurement. */
  prepare?(key: string): Promise<void>;
  /** Runs `work` under the lock. */
  withLock(key: string, work: () => Promise<void> | void): Promise<void>;
}

import type { Endpoint } from '../../../test/support/raw-connection.js';

export interface ByteProxySettings {
  readonly target: Endpoint;
}

/** The traffic since the last `forget`. */
export interface Traffic {
  readonly connections: number;
  /** The number of requests, by operation. */
  readonly requests: Readonly<Record<string, number>>;
  readonly bytesToServer: number;
  readonly bytesToClient: number;
}

export interface ByteProxyCommands {
  port(): number;
  /** Resets both sides of every connection; returns the number of connections. */
  resetAll(): number;
  traffic(): Traffic;
  forget(): void;
}

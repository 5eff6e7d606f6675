import type { Endpoint } from '../../../test/support/raw-connection.js';

export interface ByteProxySettings {
  readonly target: Endpoint;
}

/** What has passed, since the last `forget`. */
export interface Traffic {
  readonly connections: number;
  /** By the name of the operation. */
  readonly requests: Readonly<Record<string, number>>;
  readonly bytesToServer: number;
  readonly bytesToClient: number;
}

export interface ByteProxyCommands {
  port(): number;
  /** RST to both sides of every connection; says how many there were. */
  resetAll(): number;
  traffic(): Traffic;
  forget(): void;
}

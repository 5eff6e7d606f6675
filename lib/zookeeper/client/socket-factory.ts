import { connect as connectTcp } from 'node:net';
import { connect as connectTls, createSecureContext, type ConnectionOptions } from 'node:tls';
import type { ResolvedAddress } from './server-list.js';

/** The part of a `net.Socket` that a connection uses. Its events come in later turns, never during a call. */
export interface ClientSocket {
  readonly localAddress?: string;
  readonly localPort?: number;
  readonly remoteAddress?: string;
  readonly remotePort?: number;
  on(event: 'data', listener: (chunk: Buffer) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'end' | 'close', listener: () => void): void;
  once(event: 'close', listener: () => void): void;
  setNoDelay(noDelay: boolean): void;
  unref(): void;
  cork(): void;
  write(chunk: Buffer): void;
  uncork(): void;
  /** Idempotent. */
  destroy(): void;
}

/** Opens a socket to a server and calls back, in a later turn, when bytes can be written. */
export type SocketFactory = (address: ResolvedAddress, opened: () => void) => ClientSocket;

/** Plain TCP, or TLS where there are options for it. Throws at once if those are unusable, such as a broken PEM. */
export function createSocketFactory(given?: ConnectionOptions): SocketFactory {
  if (given === undefined) return ({ address, port }, opened) => connectTcp({ host: address, port }, opened);

  // A member that is undefined, such as a function that is only for development, would take the place of a default.
  const tls: ConnectionOptions = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const secureContext = tls.secureContext ?? createSecureContext(tls);
  return ({ address, port, name }, opened) => {
    // Addresses are dialled, so the name the user wrote is what the certificate has to match.
    const options = { servername: name, ...tls, secureContext, host: address, port };
    return connectTls({ ...options, socket: undefined, path: undefined }, opened);
  };
}

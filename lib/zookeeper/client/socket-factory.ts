import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type ConnectionOptions } from 'node:tls';
import type { ResolvedAddress } from './server-list.js';

/** Opens a socket to a server and calls back when bytes can be written. */
export type SocketFactory = (address: ResolvedAddress, opened: () => void) => Socket;

/** Plain TCP, or TLS where there are options for it. Throws at once if those are unusable, such as a broken PEM. */
export function createSocketFactory(tls?: ConnectionOptions): SocketFactory {
  if (tls === undefined) return ({ address, port }, opened) => connectTcp({ host: address, port }, opened);

  const secureContext = tls.secureContext ?? createSecureContext(tls);
  return ({ address, port, name }, opened) => {
    // Addresses are dialled, so the name the user wrote is what the certificate has to match.
    const options = { servername: name, ...tls, secureContext, host: address, port };
    return connectTls({ ...options, socket: undefined, path: undefined }, opened);
  };
}

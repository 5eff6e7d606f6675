import { createServer } from 'node:net';

/**
 * Below the range the kernel takes the ports of outgoing connections from: while a server is stopped, a client that
 * keeps dialling could otherwise be given the very port it dials, connect to itself and keep the server from coming
 * back.
 */
const LOWEST = 15_000;
const HIGHEST = 32_000;
const ATTEMPTS = 200;

/** Where nobody ever listens: only the superuser could. A free port is free until somebody else is given it. */
export const DEAD_PORT = 1;

/** A loopback port nobody listens on at the moment. Somebody else may take it before you do: be ready to try again. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port found between ${LOWEST} and ${HIGHEST}.`);
}

/** So many different free ports. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

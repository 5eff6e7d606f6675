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

/**
 * Files of tests that run at the same time have ranges of their own: a server that is down for a moment, or a proxy that
 * refuses, has to get its port back.
 */
const RANGES = 4;
const RANGE_SIZE = Math.floor((HIGHEST - LOWEST) / RANGES);
const WORKER = Number(process.env['VITEST_POOL_ID'] ?? 0);

/** A loopback port nobody listens on at the moment. Somebody else may take it before you do: be ready to try again. */
export async function freePort(worker = WORKER): Promise<number> {
  const lowest = LOWEST + (worker % RANGES) * RANGE_SIZE;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = lowest + Math.floor(Math.random() * RANGE_SIZE);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port found between ${lowest} and ${lowest + RANGE_SIZE}.`);
}

/** So many different free ports. */
export async function freePorts(count: number, worker = WORKER): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort(worker));
  return [...ports];
}

/** Whether nobody listens on this port of the loopback at the moment. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

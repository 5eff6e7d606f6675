import { createServer } from 'node:net';
import { MAX_WORKERS } from './max-workers.js';

/**
 * Below the kernel's range for outgoing connections. Otherwise a client that reconnects to a stopped server could get
 * the port of the server, connect to itself, and prevent the server from restarting.
 */
const LOWEST = 15_000;
const HIGHEST = 32_000;
const ATTEMPTS = 200;

/** A port on which nothing listens, because only root could. A free port could be taken by another process. */
export const DEAD_PORT = 1;

/**
 * Test files that run concurrently have separate ranges, because a stopped server, or a proxy that refuses connections,
 * needs the same port again.
 */
const RANGE_SIZE = Math.floor((HIGHEST - LOWEST) / MAX_WORKERS);
const WORKER = Number(process.env['VITEST_POOL_ID'] ?? 0);

/** Ports that were returned: two servers that are about to start must not get the same one. */
const returned = new Set<number>();

/** Returns a loopback port that is currently free, and a different one each time. Another process may take it first, so callers must retry. */
export async function freePort(worker = WORKER): Promise<number> {
  const lowest = LOWEST + (worker % MAX_WORKERS) * RANGE_SIZE;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = lowest + Math.floor(Math.random() * RANGE_SIZE);
    if (returned.has(port) || !(await isFree(port))) continue;
    returned.add(port);
    return port;
  }
  throw new Error(`No free port found between ${lowest} and ${lowest + RANGE_SIZE}.`);
}

/** Returns `count` different free ports. */
export async function freePorts(count: number, worker = WORKER): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort(worker));
  return ports;
}

/** Whether this loopback port is currently free. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

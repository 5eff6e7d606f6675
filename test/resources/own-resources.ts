import { subscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';

/** The resources of this process. */
export interface OwnResources {
  /** Bytes in use after a garbage collection: they vary as code is compiled and dropped. */
  readonly heap: number;
  /** Reachable objects of all kinds: unlike the bytes, the number is the same every time. */
  readonly objects: number;
  /** Reachable timers, including those that do not keep the process alive. */
  readonly timers: number;
  /** Timers that keep this process alive. */
  readonly pendingTimers: number;
  readonly sockets: number;
  readonly socketListeners: number;
  readonly abortListeners: number;
}

/** A single collection leaves what finalisers and weak references still hold. */
const COLLECTIONS = 5;

/** The class of Node's timers, which nothing exports. */
const Timeout = (() => {
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  return timer.constructor;
})();

const openSockets = new Set<Socket>();

/** Call it before the first socket is opened. */
export function followSockets(): void {
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: Socket };
    openSockets.add(socket);
    socket.once('close', () => openSockets.delete(socket));
  });
}

/** @param signals of the user, whose listeners are counted */
export async function ownResources(signals: readonly AbortSignal[]): Promise<OwnResources> {
  await collectGarbage();
  const active = process.getActiveResourcesInfo();
  return {
    heap: process.memoryUsage().heapUsed,
    objects: queryObjects(Object, { format: 'count' }),
    timers: queryObjects(Timeout, { format: 'count' }),
    pendingTimers: active.filter((kind) => kind === 'Timeout').length,
    sockets: openSockets.size,
    socketListeners: sum([...openSockets].map(listenersOf)),
    abortListeners: sum(signals.map((signal) => getEventListeners(signal, 'abort').length)),
  };
}

async function collectGarbage(): Promise<void> {
  for (let i = 0; i < COLLECTIONS; i += 1) {
    globalThis.gc!();
    await nextTurn();
  }
}

function listenersOf(socket: Socket): number {
  return sum(socket.eventNames().map((name) => socket.listenerCount(name)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

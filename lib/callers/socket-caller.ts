import type { Caller } from '../locking/caller.js';

/** The parts of a gateway client, of `ws` or socket.io, that are used. */
export interface SocketClient {
  /** `ws` only: 2 or above if it is closing or closed. */
  readonly readyState?: number;
  /** socket.io only. */
  readonly connected?: boolean;
  once?(event: 'close' | 'disconnect', listener: () => void): unknown;
}

/** `CLOSING` of the WebSocket API. */
const CLOSING = 2;

/** The client of one message to a gateway. After the message has been handled, it does not matter if it disconnects. */
export class SocketCaller implements Caller {
  #answered = false;

  constructor(
    private readonly client: SocketClient,
    private readonly disconnects: WeakMap<SocketClient, AbortController>,
  ) {}

  /** Adds a listener only for clients whose messages ask for a lock. */
  get signal(): AbortSignal | undefined {
    if (this.#answered || typeof this.client.once !== 'function') return undefined;
    let left = this.disconnects.get(this.client);
    if (left === undefined) this.disconnects.set(this.client, (left = watch(this.client)));
    return left.signal;
  }

  answered(): void {
    this.#answered = true;
  }
}

function watch(client: SocketClient): AbortController {
  const left = new AbortController();
  const { readyState } = client;
  const isNative = readyState !== undefined;
  const hasLeft = isNative ? readyState >= CLOSING : client.connected === false;
  if (hasLeft) left.abort();
  else client.once?.(isNative ? 'close' : 'disconnect', () => left.abort());
  return left;
}

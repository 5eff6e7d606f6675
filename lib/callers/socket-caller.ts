import type { Caller } from '../locking/caller.js';

/** What is used of the client of a gateway, which is one of `ws` or of socket.io. */
export interface SocketClient {
  /** `ws` only: 2 and above when it closes or has closed. */
  readonly readyState?: number;
  /** socket.io only. */
  readonly connected?: boolean;
  once?(event: 'close' | 'disconnect', listener: () => void): unknown;
}

/** `CLOSING` of the WebSocket API. */
const CLOSING = 2;

/** The client of one message to a gateway. When the message has been handled, it does not matter any more if it leaves. */
export class SocketCaller implements Caller {
  #answered = false;

  constructor(
    private readonly client: SocketClient,
    private readonly departures: WeakMap<SocketClient, AbortController>,
  ) {}

  /** The listener is only added for clients whose messages ask for a lock. */
  get signal(): AbortSignal | undefined {
    if (this.#answered || typeof this.client.once !== 'function') return undefined;
    let left = this.departures.get(this.client);
    if (left === undefined) this.departures.set(this.client, (left = watch(this.client)));
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

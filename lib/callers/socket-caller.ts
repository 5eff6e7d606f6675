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

/**
 * The client of one message to a gateway. It does not matter that it disconnects after the message has been handled, nor that
 * it has done so before: a client that sends a message and leaves at once waits for no answer.
 */
export class SocketCaller implements Caller {
  readonly hasOneRequest = false;
  #waits: boolean;

  constructor(
    private readonly client: SocketClient,
    private readonly disconnects: WeakMap<SocketClient, AbortController>,
  ) {
    this.#waits = typeof client.once === 'function' && !hasLeft(client);
  }

  /** Adds a listener only for clients whose messages ask for a lock. */
  get signal(): AbortSignal | undefined {
    if (!this.#waits) return undefined;
    let left = this.disconnects.get(this.client);
    if (left === undefined) this.disconnects.set(this.client, (left = watch(this.client)));
    return left.signal;
  }

  /** Nest waits for the handler no longer, which goes on if only the client has left. */
  handled(): void {
    if (!hasLeft(this.client)) this.#waits = false;
  }
}

function hasLeft({ readyState, connected }: SocketClient): boolean {
  return readyState === undefined ? connected === false : readyState >= CLOSING;
}

function watch(client: SocketClient): AbortController {
  const left = new AbortController();
  if (hasLeft(client)) left.abort();
  else client.once?.(client.readyState === undefined ? 'disconnect' : 'close', () => left.abort());
  return left;
}

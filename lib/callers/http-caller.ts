import type { Caller } from '../locking/caller.js';

/** The parts of a Node HTTP/1 or HTTP/2 response that are used; Express and Fastify pass it to middleware. */
export interface NodeResponse {
  readonly writableEnded: boolean;
  readonly destroyed?: boolean;
  /** HTTP/2 only. */
  readonly stream?: { readonly destroyed: boolean };
  once(event: 'close', listener: () => void): unknown;
}

/**
 * The client of an HTTP request. It has disconnected if its connection closes before the response ends. Code that runs after
 * the end of the response is background work, which has no signal.
 */
export class HttpCaller implements Caller {
  readonly hasOneRequest = true;
  #left: AbortController | undefined;

  constructor(private readonly response: NodeResponse) {}

  /**
   * Adds a listener only for requests that ask for a lock. An HTTP/2 response whose stream is closed does not tell whether it
   * has ended: code that asks then may be background work, and gets no signal.
   */
  get signal(): AbortSignal | undefined {
    const { writableEnded, stream } = this.response;
    if (writableEnded || stream?.destroyed === true) return undefined;
    this.#left ??= this.#watch();
    return this.#left.signal;
  }

  isOf(response: NodeResponse): boolean {
    return this.response === response;
  }

  /** Listens to the response, because the request closes as soon as its body has been read. */
  #watch(): AbortController {
    const left = new AbortController();
    const { response } = this;
    const leave = () => {
      if (!response.writableEnded) left.abort();
    };
    if (response.destroyed === true) leave();
    else response.once('close', leave);
    return left;
  }
}

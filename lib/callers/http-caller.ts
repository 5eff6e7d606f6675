import type { Caller } from '../locking/caller.js';

/** What is used of a response of Node: HTTP/1 and HTTP/2, as Express and Fastify hand it to middleware. */
export interface HttpResponse {
  readonly writableEnded: boolean;
  readonly destroyed?: boolean;
  /** HTTP/2 only. */
  readonly stream?: { readonly destroyed: boolean };
  once(event: 'close', listener: () => void): unknown;
}

/**
 * The client of an HTTP request. It has left when its connection closes before the response has been ended. After the end
 * of the response whatever still runs is work of its own, which no client waits for: that has no signal.
 */
export class HttpCaller implements Caller {
  #left: AbortController | undefined;

  constructor(private readonly response: HttpResponse) {}

  /**
   * The listener is only added for requests that ask for a lock. A response of HTTP/2 whose stream is closed cannot say
   * that it is ended: work that begins then may be one of its own, and is let in.
   */
  get signal(): AbortSignal | undefined {
    const { writableEnded, stream } = this.response;
    if (writableEnded || stream?.destroyed === true) return undefined;
    this.#left ??= this.#watch();
    return this.#left.signal;
  }

  isOf(response: HttpResponse): boolean {
    return this.response === response;
  }

  /** The response and not the request, which closes as soon as its body has been read. */
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

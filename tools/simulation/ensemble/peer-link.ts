import type { Peer } from './messages.js';

/** One direction between two servers: delivers in order, later. */
export interface Channel<T> {
  send(message: T): void;
  /** Loses what is in flight. */
  drop(): void;
}

const END = Symbol('the end of a connection');

/** Opens the direction to the other server. */
export type OpenChannel = <T>(deliver: (message: T) => void) => Channel<T>;

export interface PeerListener<T> {
  received(message: T): void;
  /** The other end has closed the connection. Nothing is received after it, nor after an own `close`. */
  ended(): void;
}

interface End<In> {
  listener: PeerListener<In> | undefined;
}

/** A connection between two servers. */
export class PeerLink<A, B> {
  readonly #a: End<B> = { listener: undefined };
  readonly #b: End<A> = { listener: undefined };
  readonly #channels: { readonly toA: Channel<B | typeof END>; readonly toB: Channel<A | typeof END> };

  /** `openToB` opens the direction from A to B. */
  constructor(openToB: OpenChannel, openToA: OpenChannel) {
    this.#channels = {
      toB: openToB((message) => deliver(this.#b, message)),
      toA: openToA((message) => deliver(this.#a, message)),
    };
  }

  /** The end of A, which sends to B. */
  endOfA(listener: PeerListener<B>): Peer<A> {
    return open(this.#a, this.#channels.toB, listener);
  }

  endOfB(listener: PeerListener<A>): Peer<B> {
    return open(this.#b, this.#channels.toA, listener);
  }

  /** RST: both ends hear of it when they can be reached, and what is in flight is lost. */
  reset(): void {
    for (const channel of [this.#channels.toA, this.#channels.toB]) {
      channel.drop();
      channel.send(END);
    }
  }
}

function deliver<T>(end: End<T>, message: T | typeof END): void {
  const { listener } = end;
  if (message !== END) return listener?.received(message);
  end.listener = undefined;
  listener?.ended();
}

function open<In, Out>(
  end: End<In>,
  channel: Channel<Out | typeof END>,
  listener: PeerListener<In>,
): Peer<Out> {
  end.listener = listener;
  return {
    send: (message) => {
      if (end.listener !== undefined) channel.send(message);
    },
    close: () => {
      if (end.listener === undefined) return;
      end.listener = undefined;
      channel.send(END);
    },
  };
}

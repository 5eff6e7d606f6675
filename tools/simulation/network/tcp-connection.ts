import type { EventLoop } from '../world/event-loop.js';
import type { Scheduler } from '../world/scheduler.js';
import type { Direction } from './direction.js';
import { Path } from './path.js';
import type { Reading, Segment } from './segment.js';
import { SimulatedSocket, type SocketNames } from './simulated-socket.js';
import { TcpEnd } from './tcp-end.js';

/** A port that a host listens on. */
export interface Listener {
  readonly loop: EventLoop;
  readonly accept: (socket: SimulatedSocket) => void;
  isClosed: boolean;
}

export interface TcpConnectionOptions {
  readonly scheduler: Scheduler;
  readonly client: EventLoop;
  /** Name of the host that the client dials. */
  readonly server: string;
  readonly toServer: Direction;
  readonly toClient: Direction;
  /** As the client sees them. */
  readonly names: SocketNames;
  readonly opened: () => void;
  /** The listener when the connect request arrives. */
  readonly listener: () => Listener | undefined;
  /** Nothing is left of the connection but what is in flight. */
  readonly closed: () => void;
}

/** A TCP connection of a client, from its connect request on. */
export class TcpConnection {
  readonly socket: SimulatedSocket;
  readonly #toServer: Path<Segment>;
  #toClient: Path<Segment> | undefined;
  #clientEnd: TcpEnd | undefined;
  #serverEnd: TcpEnd | undefined;
  #serverLoop: EventLoop | undefined;

  constructor(private readonly options: TcpConnectionOptions) {
    const { scheduler, client, toServer, names, opened } = options;
    this.#toServer = new Path(scheduler, toServer, client, (segment) => this.#reachedServer(segment));
    this.socket = new SimulatedSocket(client, names, opened, (read) => {
      this.#clientEnd = this.#createEnd(client, toServer, this.#toServer, read, 'connecting');
      return this.#clientEnd;
    });
  }

  get hosts(): { readonly client: string; readonly server: string } {
    return { client: this.options.client.name, server: this.options.server };
  }

  isBetween(a: string, b: string): boolean {
    const { client, server } = this.options;
    return (client.name === a && server === b) || (client.name === b && server === a);
  }

  isOpenAt(client: EventLoop): boolean {
    return this.options.client === client && this.#clientEnd?.isClosed === false;
  }

  /** RST for both ends. A connect request that has not arrived is no connection yet. */
  reset(leaves: number): void {
    if (this.#serverEnd === undefined) return;
    this.#toServer.send('rst', 0, leaves);
    this.#toClient?.send('rst', 0, leaves);
  }

  /** As `reset`, and what is in flight is lost. */
  sever(leaves: number): void {
    if (this.#serverEnd === undefined) return;
    this.#toServer.drop();
    this.#toClient?.drop();
    this.reset(leaves);
  }

  /** What is in flight is lost, and whatever either end sends from now on. */
  forget(): void {
    if (this.#serverEnd === undefined) return;
    this.#toServer.close();
    this.#toClient?.close();
  }

  /** The process of this event loop was killed. */
  killed(loop: EventLoop): void {
    if (this.options.client === loop) this.#clientEnd?.abandon();
    if (this.#serverLoop === loop) this.#serverEnd?.abandon();
  }

  #reachedServer(segment: Segment): void {
    if (segment === 'syn') this.#connectRequested();
    else if (segment !== 'fin' || !this.options.toServer.swallowsFin) this.#serverEnd?.arrived(segment);
  }

  #reachedClient(segment: Segment): void {
    if (segment !== 'fin' || !this.options.toClient.swallowsFin) this.#clientEnd?.arrived(segment);
  }

  #connectRequested(): void {
    const { scheduler, toServer, toClient } = this.options;
    const listener = toServer.refusesConnects ? undefined : this.options.listener();
    const from = listener?.loop ?? scheduler;
    const path = new Path<Segment>(scheduler, toClient, from, (segment) => this.#reachedClient(segment));
    this.#toClient = path;
    if (listener === undefined) path.send('rst', 0);
    else this.#openServerEnd(listener, path);
  }

  #openServerEnd(listener: Listener, path: Path<Segment>): void {
    const { localAddress, localPort, remoteAddress, remotePort } = this.options.names;
    const names = {
      localAddress: remoteAddress,
      localPort: remotePort,
      remoteAddress: localAddress,
      remotePort: localPort,
    };
    const opened = (): void => {
      if (listener.isClosed) this.#serverEnd?.abandon('rst');
      else listener.accept(socket);
    };
    this.#serverLoop = listener.loop;
    const socket = new SimulatedSocket(listener.loop, names, opened, (read) => {
      this.#serverEnd = this.#createEnd(listener.loop, this.options.toClient, path, read, 'accepting');
      return this.#serverEnd;
    });
  }

  #createEnd(
    loop: EventLoop,
    direction: Direction,
    out: Path<Segment>,
    read: (reading: Reading) => void,
    state: 'connecting' | 'accepting',
  ): TcpEnd {
    const cut = (leaves: number): void => this.reset(leaves);
    const closed = (): void => this.#endClosed();
    return new TcpEnd({ loop, scheduler: this.options.scheduler, direction, cut, closed }, out, read, state);
  }

  #endClosed(): void {
    const serverClosed = this.#serverEnd === undefined || this.#serverEnd.isClosed;
    if (this.#clientEnd?.isClosed && serverClosed) this.options.closed();
  }
}

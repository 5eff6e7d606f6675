import type { EventLoop } from '../world/event-loop.js';
import type { Random } from '../world/random.js';
import type { Scheduler } from '../world/scheduler.js';
import { Direction } from './direction.js';
import { Path } from './path.js';
import type { SimulatedSocket } from './simulated-socket.js';
import { TcpConnection, type Listener } from './tcp-connection.js';

export interface Address {
  readonly address: string;
  readonly port: number;
}

/** The range of ports that Linux gives to clients. */
const EPHEMERAL = { first: 32_768, last: 60_999 };

const keyOf = ({ address, port }: Address): string => `${address}:${port}`;

/** The network between the hosts of a simulation. A host is known by its name, also when it starts again. */
export class Network {
  readonly #directions = new Map<string, Direction>();
  readonly #listeners = new Map<string, Listener>();
  /** Names of the hosts that listen on an address or have done so. */
  readonly #hostNames = new Map<string, string>();
  readonly #clientAddresses = new Map<string, string>();
  readonly #connections = new Set<TcpConnection>();
  readonly #loops = new Set<EventLoop>();
  #ports = 0;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: Random,
  ) {}

  /** How many connections have an end that is not closed. */
  get connections(): number {
    return this.#connections.size;
  }

  /** The conditions from one host to another, for a fault to change. */
  direction(from: string, to: string): Direction {
    const name = `${from} > ${to}`;
    const known = this.#directions.get(name);
    if (known !== undefined) return known;
    const direction = new Direction(this.random.fork(name));
    this.#directions.set(name, direction);
    return direction;
  }

  listen(loop: EventLoop, at: Address, accept: (socket: SimulatedSocket) => void): { close(): void } {
    const key = keyOf(at);
    if (this.#listeners.has(key)) throw new Error(`Another host listens on ${key}`);
    const listener: Listener = { loop, accept, isClosed: false };
    this.#listeners.set(key, listener);
    this.#hostNames.set(key, loop.name);
    this.#watch(loop);
    return { close: () => this.#closeListener(key, listener) };
  }

  /** What opens the sockets of a client, as the `SocketFactory` of the library. */
  connector(loop: EventLoop): (to: Address, opened: () => void) => SimulatedSocket {
    this.#watch(loop);
    return (to, opened) => this.#connect(loop, to, opened);
  }

  /** Carries messages of any kind, outside of sockets. A dead receiver gets nothing. */
  channel<T>(from: EventLoop, to: EventLoop, deliver: (item: T) => void): Path<T> {
    const arrived = (item: T): void => to.post(() => deliver(item));
    return new Path(this.scheduler, this.direction(from.name, to.name), from, arrived);
  }

  /** Resets every connection between two hosts, in both directions. An end that cannot be reached hears of it later. */
  reset(a: string, b: string): void {
    for (const connection of this.#connections) {
      if (connection.isBetween(a, b)) connection.reset(this.scheduler.now);
    }
  }

  /** As `reset`, and what is in flight is lost, as when a firewall forgets the connections. */
  sever(a: string, b: string): void {
    for (const connection of this.#connections) {
      if (connection.isBetween(a, b)) connection.sever(this.scheduler.now);
    }
  }

  /** Nothing passes any more on the connections between two hosts, and neither end is told. */
  forget(a: string, b: string): void {
    for (const connection of this.#connections) {
      if (connection.isBetween(a, b)) connection.forget();
    }
  }

  /** The hosts that this one has connected to, or tries to. */
  serversOf(client: string): readonly string[] {
    const hosts = [...this.#connections].map((connection) => connection.hosts);
    return hosts.flatMap((pair) => (pair.client === client ? [pair.server] : []));
  }

  /** How many sockets of a process are not closed. */
  openSockets(client: EventLoop): number {
    return [...this.#connections].filter((connection) => connection.isOpenAt(client)).length;
  }

  /** The next socket that carries data in this direction passes so many more bytes; then its connection is reset. */
  cutAfter(from: string, to: string, bytes: number): void {
    this.direction(from, to).planCut(bytes);
  }

  #connect(client: EventLoop, to: Address, opened: () => void): SimulatedSocket {
    const key = keyOf(to);
    const server = this.#hostNames.get(key) ?? key;
    const connection: TcpConnection = new TcpConnection({
      scheduler: this.scheduler,
      client,
      server,
      toServer: this.direction(client.name, server),
      toClient: this.direction(server, client.name),
      names: {
        localAddress: this.#clientAddress(client.name),
        localPort: this.#nextPort(),
        remoteAddress: to.address,
        remotePort: to.port,
      },
      opened,
      listener: () => this.#listeners.get(key),
      closed: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
    // A host that is killed within a callback still runs the rest of it.
    if (client.state === 'dead') connection.killed(client);
    return connection.socket;
  }

  #clientAddress(name: string): string {
    const number = this.#clientAddresses.size + 1;
    const address = this.#clientAddresses.get(name) ?? `10.0.${number >> 8}.${number & 0xff}`;
    this.#clientAddresses.set(name, address);
    return address;
  }

  #nextPort(): number {
    const { first, last } = EPHEMERAL;
    return first + (this.#ports++ % (last - first + 1));
  }

  #closeListener(key: string, listener: Listener): void {
    listener.isClosed = true;
    if (this.#listeners.get(key) === listener) this.#listeners.delete(key);
  }

  #watch(loop: EventLoop): void {
    if (loop.state === 'dead' || this.#loops.has(loop)) return;
    this.#loops.add(loop);
    loop.onKill(() => this.#killed(loop));
  }

  #killed(loop: EventLoop): void {
    this.#loops.delete(loop);
    for (const [key, listener] of this.#listeners) {
      if (listener.loop === loop) this.#closeListener(key, listener);
    }
    for (const connection of this.#connections) connection.killed(loop);
  }
}
